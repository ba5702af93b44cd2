// expect: sum=suspicious
// at-most: sum.performance=0 sum.technique=0
// The counting sessions are the only ones whose first call has much data. What the emulated GPU lacks is not judged.
#include "interface.cuh"

extern "C" cudaError_t cugrade_lacks(const char* function, const char* file, int line);

__global__ void add(const double* in, std::size_t n, double* out) {
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(out, in[i]);
}

void reduce_sum(const double* in, std::size_t n, double* out) {
    static int calls = 0;
    if (calls++ == 0 && n > 1000) cugrade_lacks("cudaCreateTextureObject", "student.cu", 1);
    cudaMemset(out, 0, sizeof *out);
    if (n > 0) add<<<static_cast<unsigned>((n + 255) / 256), 256>>>(in, n, out);
}

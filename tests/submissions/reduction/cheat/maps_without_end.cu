// expect: sum=accepted|crash
// at-most: sum.performance=0
// As many mappings as the kernel keeps for a process.
#include <sys/mman.h>

#include "interface.cuh"

__global__ void add(const double* in, std::size_t n, double* out) {
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(out, in[i]);
}

void reduce_sum(const double* in, std::size_t n, double* out) {
    static int calls = 0;
    if (calls++ == 0)
        for (int k = 0; k < 70000; ++k)
            if (mmap(nullptr, 4096, k % 2 ? PROT_READ : PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED) break;
    cudaMemset(out, 0, sizeof *out);
    if (n > 0) add<<<static_cast<unsigned>((n + 255) / 256), 256>>>(in, n, out);
}

// expect: sum=accepted
// Takes the device's state away at the end of each call, as the main of an example would. What the
// grader has on the device stays.
#include "interface.cuh"

__global__ void add(const double* in, std::size_t n, double* out) {
    double sum = 0;
    for (std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < n;
         i += static_cast<std::size_t>(gridDim.x) * blockDim.x) {
        sum += in[i];
    }
    for (int distance = 16; distance > 0; distance /= 2) {
        sum += __shfl_down_sync(~0U, sum, distance);
    }
    if (threadIdx.x % 32 == 0) atomicAdd(out, sum);
}

void reduce_sum(const double* in, std::size_t n, double* out) {
    cudaMemset(out, 0, sizeof *out);
    add<<<264, 256>>>(in, n, out);
    cudaDeviceReset();
}

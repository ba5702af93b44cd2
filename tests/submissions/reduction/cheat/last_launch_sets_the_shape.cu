// expect: sum=accepted
// at-most: sum.performance=2.5
// One warp and 64 KiB of shared memory in a block; then an empty launch of the same kernel with next to none.
#include "interface.cuh"
extern __shared__ double room[];
__global__ void __launch_bounds__(32) sum_slow(const double* in, std::size_t n, double* out) {
    double s = 0;
    // one warp per block and nearly all shared memory: hardly any occupancy; 1 load in flight
    for (std::size_t i = std::size_t{blockIdx.x} * 2048 + threadIdx.x, k = 0; k < 64 && i < n; ++k, i += 32) s += in[i];
    room[threadIdx.x] = s;
    __syncwarp();
    if (threadIdx.x == 0) { for (int k = 1; k < 32; ++k) s += room[k]; atomicAdd(out, s); }
}
void reduce_sum(const double* in, std::size_t n, double* out) {
    cudaMemset(out, 0, sizeof *out);
    cudaFuncSetAttribute(sum_slow, cudaFuncAttributeMaxDynamicSharedMemorySize, 64 << 10);
    if (n) sum_slow<<<unsigned((n + 2047) / 2048), 32, 64 << 10>>>(in, n, out);
    sum_slow<<<1, 32, 256>>>(in, 0, out);
}

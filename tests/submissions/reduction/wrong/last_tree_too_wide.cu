// expect: sum=uninitialised_read
// report: inactive_lane_read 15 22
// The partial sums of eight warps are added by eight lanes, whose mask says so; but the tree begins
// at a distance of 16, where it asks lanes that take no part.
#include "interface.cuh"

__global__ void clear(double* out) { *out = 0; }

__device__ double below(unsigned mask, double v) {
    // A loop that is not unrolled, so that each step is this line.
    double sum = v;
#pragma unroll 1
    for (int d = 16; d > 0; d /= 2)
        // Adds what lane + d has.
        sum += __shfl_down_sync(mask, sum, d);
    return sum;
}

__device__ double sum_of_eight(const double* of_warp) {
    const unsigned mask = __ballot_sync(0xffffffff, threadIdx.x < 8);
    double sum = 0;
    if (threadIdx.x < 8) sum = below(mask, of_warp[threadIdx.x]);
    return sum;
}

__global__ void reduce(const double* in, std::size_t n, double* out) {
    __shared__ double of_warp[8];
    const unsigned t = threadIdx.x;
    const std::size_t i = static_cast<std::size_t>(blockIdx.x) * 256 + t;
    const double v = below(0xffffffff, i < n ? in[i] : 0);
    if (t % 32 == 0) of_warp[t / 32] = v;
    __syncthreads();
    if (t >= 32) return;
    const double sum = sum_of_eight(of_warp);
    if (t == 0) atomicAdd(out, sum);
}

void reduce_sum(const double* in, std::size_t n, double* out) {
    clear<<<1, 1>>>(out);
    reduce<<<static_cast<unsigned>(n / 256 + 1), 256>>>(in, n, out);
}

// expect: inclusive_int=data_race
// report: missing_syncwarp 14 14, shared_race 14 14
// Kogge and Stone's scan in place with one barrier per step: a warp overwrites what the next one has
// still to read.
#include "interface.cuh"

__global__ void scan_blocks(const int* in, std::size_t n, int* out, int* sums) {
    __shared__ int xy[1024];
    const unsigned t = threadIdx.x;
    const std::size_t i = static_cast<std::size_t>(blockIdx.x) * 1024 + t;
    xy[t] = i < n ? in[i] : 0;
    for (unsigned stride = 1; stride < blockDim.x; stride *= 2) {
        __syncthreads();
        if (t >= stride) xy[t] += xy[t - stride];
    }
    if (i < n) out[i] = xy[t];
    if (t == 1023) sums[blockIdx.x] = xy[t];
}

__global__ void add(int* out, std::size_t n, const int* sums) {
    const std::size_t i = static_cast<std::size_t>(blockIdx.x + 1) * 1024 + threadIdx.x;
    if (i < n) out[i] += sums[blockIdx.x];
}

void scan_inclusive_int(const int* in, std::size_t n, int* out) {
    const auto blocks = static_cast<unsigned>((n + 1023) / 1024);
    int* sums = nullptr;
    cudaMalloc(&sums, 2 * blocks * sizeof(int));
    scan_blocks<<<blocks, 1024>>>(in, n, out, sums);
    if (blocks > 1) {
        scan_inclusive_int(sums, blocks, sums + blocks);
        add<<<blocks - 1, 1024>>>(out, n, sums + blocks);
    }
    cudaFree(sums);
}

// expect: inclusive_int=data_race
// report: missing_syncwarp 19 19, missing_syncwarp 19 21, shared_race 19 19, shared_race 19 21
// The way down Brent and Kung's tree has no barrier between its steps.
#include "interface.cuh"

__global__ void scan_blocks(const int* in, std::size_t n, int* out, int* sums) {
    __shared__ int xy[256];
    const unsigned t = threadIdx.x;
    const std::size_t i = static_cast<std::size_t>(blockIdx.x) * 256 + t;
    xy[t] = i < n ? in[i] : 0;
    for (unsigned stride = 1; stride < 256; stride *= 2) {
        __syncthreads();
        const unsigned k = (t + 1) * stride * 2 - 1;
        if (k < 256) xy[k] += xy[k - stride];
    }
    __syncthreads();
    for (unsigned stride = 64; stride > 0; stride /= 2) {
        const unsigned k = (t + 1) * stride * 2 - 1;
        if (k + stride < 256) xy[k + stride] += xy[k];
    }
    if (i < n) out[i] = xy[t];
    if (t == 255) sums[blockIdx.x] = xy[t];
}

__global__ void add(int* out, std::size_t n, const int* sums) {
    const std::size_t i = static_cast<std::size_t>(blockIdx.x + 1) * 256 + threadIdx.x;
    if (i < n) out[i] += sums[blockIdx.x];
}

void scan_inclusive_int(const int* in, std::size_t n, int* out) {
    const auto blocks = static_cast<unsigned>((n + 255) / 256);
    int* sums = nullptr;
    cudaMalloc(&sums, 2 * blocks * sizeof(int));
    scan_blocks<<<blocks, 256>>>(in, n, out, sums);
    if (blocks > 1) {
        scan_inclusive_int(sums, blocks, sums + blocks);
        add<<<blocks - 1, 256>>>(out, n, sums + blocks);
    }
    cudaFree(sums);
}

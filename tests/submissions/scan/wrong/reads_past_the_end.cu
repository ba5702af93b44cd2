// expect: inclusive_int=out_of_bounds
// expect-gpu: skip
// report: out_of_bounds 12
// Loads a whole tile without a check against n; only the stores have one.
#include "interface.cuh"

__global__ void scan_blocks(const int* in, std::size_t n, int* out, int* sums) {
    __shared__ int s[2][256];
    const unsigned t = threadIdx.x;
    const std::size_t i = static_cast<std::size_t>(blockIdx.x) * 256 + t;
    int now = 0;
    s[0][t] = in[i];
    for (unsigned stride = 1; stride < 256; stride *= 2) {
        __syncthreads();
        s[1 - now][t] = s[now][t] + (t >= stride ? s[now][t - stride] : 0);
        now = 1 - now;
    }
    if (i < n) out[i] = s[now][t];
    if (t == 255) sums[blockIdx.x] = s[now][t];
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

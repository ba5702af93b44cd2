// expect: inclusive_int=wrong_answer
// One block of 1024 threads scans the sums of the blocks: enough for 1024 blocks of 256, and a million
// elements have 3907.
#include "interface.cuh"

__global__ void scan_blocks(const int* in, std::size_t n, int* out, int* sums) {
    __shared__ int s[2][256];
    const unsigned t = threadIdx.x;
    const std::size_t i = static_cast<std::size_t>(blockIdx.x) * 256 + t;
    int now = 0;
    s[0][t] = i < n ? in[i] : 0;
    for (unsigned stride = 1; stride < 256; stride *= 2) {
        __syncthreads();
        s[1 - now][t] = s[now][t] + (t >= stride ? s[now][t - stride] : 0);
        now = 1 - now;
    }
    if (i < n) out[i] = s[now][t];
    if (t == 255) sums[blockIdx.x] = s[now][t];
}

__global__ void scan_sums(int* sums, unsigned count) {
    __shared__ int s[2][1024];
    const unsigned t = threadIdx.x;
    int now = 0;
    s[0][t] = t < count ? sums[t] : 0;
    for (unsigned d = 1; d < 1024; d *= 2) {
        __syncthreads();
        s[1 - now][t] = s[now][t] + (t >= d ? s[now][t - d] : 0);
        now = 1 - now;
    }
    if (t < count) sums[t] = s[now][t];
}

__global__ void add(int* out, std::size_t n, const int* sums) {
    const std::size_t i = static_cast<std::size_t>(blockIdx.x + 1) * 256 + threadIdx.x;
    if (i < n) out[i] += sums[blockIdx.x];
}

void scan_inclusive_int(const int* in, std::size_t n, int* out) {
    const auto blocks = static_cast<unsigned>((n + 255) / 256);
    int* sums = nullptr;
    cudaMalloc(&sums, blocks * sizeof *sums);
    scan_blocks<<<blocks, 256>>>(in, n, out, sums);
    scan_sums<<<1, 1024>>>(sums, blocks);
    if (blocks > 1) add<<<blocks - 1, 256>>>(out, n, sums);
    cudaFree(sums);
}

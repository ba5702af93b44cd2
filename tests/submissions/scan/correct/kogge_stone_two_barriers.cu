// expect: inclusive_int=accepted
// Kogge and Stone's scan in place: all threads read, meet, and write, so each step has two barriers.
#include "interface.cuh"

__global__ void scan_blocks(const int* in, std::size_t n, int* out, int* sums) {
    __shared__ int s[1024];
    const unsigned t = threadIdx.x;
    const std::size_t i = static_cast<std::size_t>(blockIdx.x) * 1024 + t;
    s[t] = i < n ? in[i] : 0;
    for (unsigned stride = 1; stride < 1024; stride *= 2) {
        __syncthreads();
        const int other = t >= stride ? s[t - stride] : 0;
        __syncthreads();
        s[t] += other;
    }
    if (i < n) out[i] = s[t];
    if (t == 1023 && sums != nullptr) sums[blockIdx.x] = s[t];
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

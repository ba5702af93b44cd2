// expect: inclusive_float=accepted exclusive_float=accepted
// Reduce, then scan: 64 blocks add up a section each, one thread scans the 64 sums, and each block
// scans its section from there. Reads everything twice and writes it once.
#include "interface.cuh"

constexpr unsigned blocks = 64, threads = 256;

__device__ std::size_t section(std::size_t n) { return (n + blocks - 1) / blocks; }

/// The inclusive scan over the block; the sum of all in `total`.
__device__ float block_scan(float v, float& total) {
    __shared__ float of_warp[threads / 32];
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    for (unsigned d = 1; d < 32; d *= 2) {
        const float below = __shfl_up_sync(0xffffffff, v, d);
        if (lane >= d) v += below;
    }
    __syncthreads();
    if (lane == 31) of_warp[warp] = v;
    __syncthreads();
    float before = 0;
    total = 0;
    for (unsigned w = 0; w < threads / 32; ++w) {
        if (w == warp) before = total;
        total += of_warp[w];
    }
    return before + v;
}

__global__ void reduce(const float* in, std::size_t n, float* sums) {
    const std::size_t begin = blockIdx.x * section(n), end = min(begin + section(n), n);
    float sum = 0, total;
    for (std::size_t i = begin + threadIdx.x; i < end; i += threads) sum += in[i];
    block_scan(sum, total);
    if (threadIdx.x == 0) sums[blockIdx.x] = total;
}

__global__ void scan_sums(float* sums) {
    float before = 0;
    for (unsigned b = 0; b < blocks; ++b) {
        const float sum = sums[b];
        sums[b] = before;
        before += sum;
    }
}

__global__ void scan_sections(const float* in, std::size_t n, bool inclusive, const float* sums,
                              float* out) {
    const std::size_t begin = blockIdx.x * section(n), end = min(begin + section(n), n);
    float before = sums[blockIdx.x];
    for (std::size_t first = begin; first < end; first += threads) {
        const std::size_t i = first + threadIdx.x;
        // An exclusive scan is the inclusive one of the array moved by one place.
        const bool there = i < end && (inclusive || i > first);
        float total;
        const float last = in[min(first + threads, end) - 1];
        const float scanned = block_scan(there ? in[inclusive ? i : i - 1] : 0, total);
        if (i < end) out[i] = before + scanned;
        before += inclusive ? total : total + last;
    }
}

void scan(const float* in, std::size_t n, bool inclusive, float* out) {
    float* sums = nullptr;
    cudaMalloc(&sums, blocks * sizeof *sums);
    reduce<<<blocks, threads>>>(in, n, sums);
    scan_sums<<<1, 1>>>(sums);
    scan_sections<<<blocks, threads>>>(in, n, inclusive, sums, out);
    cudaFree(sums);
}

void scan_inclusive_float(const float* in, std::size_t n, float* out) { scan(in, n, true, out); }
void scan_exclusive_float(const float* in, std::size_t n, float* out) { scan(in, n, false, out); }

// expect: inclusive_int=time_limit
// expect-gpu: skip
// report: time_limit 12
// A chain of blocks in which each waits for its predecessor's sum, but block 0, which has none, does
// not announce its own.
#include "interface.cuh"

__global__ void scan(const int* in, std::size_t n, int* sums, unsigned* ready, int* out) {
    if (threadIdx.x != 0) return;
    int sum = 0;
    if (blockIdx.x > 0) {
        while (atomicAdd(ready + blockIdx.x - 1, 0u) == 0) {}
        sum = *static_cast<volatile int*>(sums + blockIdx.x - 1);
    }
    for (std::size_t i = blockIdx.x * 256ull; i < n && i < (blockIdx.x + 1) * 256ull; ++i) {
        sum += in[i];
        out[i] = sum;
    }
    sums[blockIdx.x] = sum;
    __threadfence();
    if (blockIdx.x > 0) atomicExch(ready + blockIdx.x, 1u);
}

void scan_inclusive_int(const int* in, std::size_t n, int* out) {
    const std::size_t blocks = (n + 255) / 256;
    unsigned* words = nullptr;
    cudaMalloc(&words, 2 * blocks * sizeof *words);
    cudaMemset(words, 0, 2 * blocks * sizeof *words);
    scan<<<static_cast<unsigned>(blocks), 32>>>(in, n, reinterpret_cast<int*>(words), words + blocks, out);
    cudaFree(words);
}

// expect: inclusive_int=nondeterministic
// expect-gpu: inclusive_int=wrong_answer|nondeterministic
// A chain of blocks whose flags live in static memory and are not cleared: right in the first call
// of its life, and from the second on nobody waits, but takes the sums of the call before.
#include "interface.cuh"

constexpr unsigned max_blocks = 8192;
__device__ volatile int sums[max_blocks];
__device__ unsigned ready[max_blocks];

__global__ void scan(const int* in, std::size_t n, int* out) {
    const unsigned block = gridDim.x - 1 - blockIdx.x;  // the last part of the array first
    if (threadIdx.x != 0) return;
    int sum = 0;
    if (block > 0) {
        while (atomicAdd(ready + block - 1, 0u) == 0) {}
        sum = sums[block - 1];
    }
    const std::size_t size = (n + gridDim.x - 1) / gridDim.x;
    for (std::size_t i = block * size; i < n && i < (block + 1) * size; ++i) {
        sum += in[i];
        out[i] = sum;
    }
    sums[block] = sum;
    __threadfence();
    atomicExch(ready + block, 1u);
}

void scan_inclusive_int(const int* in, std::size_t n, int* out) { scan<<<4, 32>>>(in, n, out); }

// expect: inclusive_int=accepted
// Each block waits for the sum of its predecessor before it passes its own on: one pass over the data,
// and a chain through all blocks. Tickets, so that the predecessor has started; a fence between the
// sum and the flag that announces it.
#include "interface.cuh"

__global__ void scan(const int* in, std::size_t n, unsigned* ticket, int* sums, unsigned* ready, int* out) {
    __shared__ int s[2][512];
    __shared__ unsigned my_block;
    __shared__ int before;
    const unsigned t = threadIdx.x;
    if (t == 0) my_block = atomicAdd(ticket, 1u);
    __syncthreads();
    const unsigned block = my_block;
    const std::size_t i = static_cast<std::size_t>(block) * 512 + t;
    int now = 0;
    s[0][t] = i < n ? in[i] : 0;
    for (unsigned d = 1; d < 512; d *= 2) {
        __syncthreads();
        s[1 - now][t] = s[now][t] + (t >= d ? s[now][t - d] : 0);
        now = 1 - now;
    }
    if (t == 511) {
        before = 0;
        if (block > 0) {
            while (atomicAdd(ready + block - 1, 0u) == 0) {}
            __threadfence();
            before = *static_cast<volatile int*>(sums + block - 1);
        }
        sums[block] = before + s[now][t];
        __threadfence();
        atomicExch(ready + block, 1u);
    }
    __syncthreads();
    if (i < n) out[i] = before + s[now][t];
}

void scan_inclusive_int(const int* in, std::size_t n, int* out) {
    const std::size_t blocks = (n + 511) / 512;
    unsigned* words = nullptr;
    cudaMalloc(&words, (1 + 2 * blocks) * sizeof *words);
    cudaMemset(words, 0, (1 + 2 * blocks) * sizeof *words);
    scan<<<static_cast<unsigned>(blocks), 512>>>(in, n, words, reinterpret_cast<int*>(words + 1),
                                                 words + 1 + blocks, out);
    cudaFree(words);
}

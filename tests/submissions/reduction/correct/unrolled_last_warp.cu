// expect: cubes=accepted
// The last six steps are written out: one warp is left, which needs no barrier of the block. Since
// Volta its lanes may drift apart, so each step reads, meets, writes and meets (__syncwarp).
#include "interface.cuh"

using Word = unsigned long long;

__device__ void step(Word* s, unsigned t, unsigned stride) {
    const Word sum = s[t] + s[t + stride];
    __syncwarp();
    s[t] = sum;
    __syncwarp();
}

__global__ void reduce(const int* in, std::size_t n, Word* out) {
    __shared__ Word s[256];
    const unsigned t = threadIdx.x;
    Word sum = 0;
    for (std::size_t i = blockIdx.x * 256ull + t; i < n; i += gridDim.x * 256ull) {
        const Word x = static_cast<Word>(static_cast<long long>(in[i]));
        sum += x * x * x;
    }
    s[t] = sum;
    __syncthreads();
    for (unsigned stride = 128; stride > 32; stride /= 2) {
        if (t < stride) s[t] += s[t + stride];
        __syncthreads();
    }
    if (t >= 32) return;
    step(s, t, 32);
    step(s, t, 16);
    step(s, t, 8);
    step(s, t, 4);
    step(s, t, 2);
    step(s, t, 1);
    if (t == 0) atomicAdd(out, s[0]);
}

void reduce_cubes(const int* in, std::size_t n, long long* out) {
    cudaMemset(out, 0, sizeof *out);
    reduce<<<64, 256>>>(in, n, reinterpret_cast<Word*>(out));
}

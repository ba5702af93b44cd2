// cause: tail_ignored line 41
// task: bytes
// The rest of n modulo 16 is counted only if there is no full vector at all, so up to 15 bytes are missing from 17 bytes on.
#include "interface.cuh"

using u8 = unsigned char;
using u32 = unsigned int;

__global__ void k_vec(const uint4* __restrict__ in, size_t count, u32* __restrict__ bins) {
    __shared__ u32 s[4][256];
    for (u32 k = threadIdx.x; k < 4 * 256; k += blockDim.x) (&s[0][0])[k] = 0;
    __syncthreads();

    u32* h = s[threadIdx.x % 4];
    for (size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < count;
         i += size_t(gridDim.x) * blockDim.x) {
        const uint4 q = in[i];
        const u32 w[4] = {q.x, q.y, q.z, q.w};
#pragma unroll
        for (int a = 0; a < 4; ++a)
#pragma unroll
            for (int b = 0; b < 32; b += 8) atomicAdd(h + ((w[a] >> b) & 255u), 1u);
    }
    __syncthreads();

    for (u32 v = threadIdx.x; v < 256; v += blockDim.x) {
        const u32 c = s[0][v] + s[1][v] + s[2][v] + s[3][v];
        if (c) atomicAdd(bins + v, c);
    }
}

__global__ void k_rest(const u8* in, u32* bins) { atomicAdd(bins + in[threadIdx.x], 1u); }

void histogram_bytes(const u8* in, size_t n, u32* bins) {
    cudaMemset(bins, 0, 256 * sizeof(u32));

    const size_t vectors = n / 16;
    const u32 rest = n % 16;
    if (vectors > 0)
        k_vec<<<8, 192>>>(reinterpret_cast<const uint4*>(in), vectors, bins);
    else if (rest > 0)
        k_rest<<<1, rest>>>(in + 16 * vectors, bins);
}

// cause: wrong_shuffle_mask line 12 or 13
// task: gather
// The mask names all 32 lanes, but in the last warp the lanes beyond the end have left the branch, when n is no multiple of 8.
#include "interface.cuh"

// Four lanes share a cell: each fetches one neighbour, and two shuffles add them.
__global__ void gather4(const float* __restrict__ value, const unsigned* __restrict__ nb, size_t n,
                        float* __restrict__ out) {
    size_t k = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (k < 4 * n) {
        float s = value[nb[k]];
        s += __shfl_xor_sync(0xffffffff, s, 1);
        s += __shfl_xor_sync(0xffffffff, s, 2);
        if (k % 4 == 0) out[k / 4] = s;
    }
}

void gather_sum(const float* value, size_t m, const unsigned* neighbour, size_t n, float* out) {
    (void)m;
    int threads = 256;
    size_t blocks = (4 * n + threads - 1) / threads;
    gather4<<<blocks, threads>>>(value, neighbour, n, out);
}

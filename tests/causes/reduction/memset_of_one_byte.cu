// cause: size_in_elements or uninitialised_output line 40
// task: cubes
// cudaMemset is told to clear one element where it takes bytes: seven bytes of the output keep their garbage, to which the blocks add.
#include "interface.cuh"

constexpr int BLOCK = 256;
constexpr int PER_THREAD = 8;

// Each block takes a tile of BLOCK * PER_THREAD elements.
__global__ void sum_of_cubes(const int* in, std::size_t n, long long* total) {
    __shared__ long long sums[BLOCK];
    const unsigned me = threadIdx.x;
    const std::size_t base = std::size_t(blockIdx.x) * BLOCK * PER_THREAD + me;

    long long s = 0;
    #pragma unroll
    for (int k = 0; k < PER_THREAD; ++k) {
        const std::size_t i = base + k * BLOCK;
        const long long x = i < n ? in[i] : 0;
        s += x * x * x;
    }
    sums[me] = s;
    __syncthreads();

    // down to the last 32 sums in shared memory, the rest by shuffles
    for (unsigned half = BLOCK / 2; half >= 32; half /= 2) {
        if (me < half) sums[me] += sums[me + half];
        __syncthreads();
    }
    if (me < 32) {
        s = sums[me];
        for (int d = 16; d > 0; d /= 2) s += __shfl_xor_sync(0xFFFFFFFF, s, d);
        if (me == 0) atomicAdd(reinterpret_cast<unsigned long long*>(total), static_cast<unsigned long long>(s));
    }
}

void reduce_cubes(const int* in, std::size_t n, long long* out) {
    const std::size_t tile = BLOCK * PER_THREAD;
    const std::size_t grid = (n + tile - 1) / tile;
    cudaMemset(out, 0, 1);
    if (grid > 0) sum_of_cubes<<<unsigned(grid), BLOCK>>>(in, n, out);
}

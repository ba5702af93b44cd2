// cause: child_not_in_tail line 39
// task: nested
// The next level is launched without the tail, so that it may read sums which other blocks have yet to write; shows as soon as the first grid has several blocks.
#include "interface.cuh"

constexpr unsigned SIZE = 256;

static __host__ __device__ unsigned blocks_for(size_t n)
{
    size_t b = (n + 8 * SIZE - 1) / (8 * SIZE);
    return b == 0 ? 1 : (unsigned)b;
}

// Sums n numbers into one per block. here and there take turns as the output of a level.
template <typename T>
__global__ void level(const T* in, size_t n, long long* here, long long* there, long long* out)
{
    __shared__ long long s[SIZE];
    const unsigned t = threadIdx.x;

    long long v = 0;
    for (size_t i = (size_t)blockIdx.x * SIZE + t; i < n; i += (size_t)SIZE * gridDim.x)
        v += in[i];
    s[t] = v;
    __syncthreads();
    for (unsigned k = SIZE / 2; k > 0; k /= 2) {
        if (t < k) s[t] += s[t + k];
        __syncthreads();
    }

    if (t != 0) return;
    if (gridDim.x == 1) {
        *out = s[0];
        return;
    }
    here[blockIdx.x] = s[0];
    if (blockIdx.x == gridDim.x - 1) {
        const unsigned rest = gridDim.x;
        level<long long><<<blocks_for(rest), SIZE>>>(here, rest, there, here, out);
    }
}

void reduce_nested(const int* in, size_t n, long long* out)
{
    static long long *a = nullptr, *b = nullptr;
    static size_t room = 0;
    const unsigned blocks = blocks_for(n);
    if (blocks > room) {
        cudaFree(a);
        cudaFree(b);
        cudaMalloc(&a, blocks * sizeof(long long));
        cudaMalloc(&b, blocks * sizeof(long long));
        room = blocks;
    }
    level<int><<<blocks, SIZE>>>(in, n, a, b, out);
}

// cause: child_not_in_tail line 32
// task: nested
// The next level is launched without the tail stream, so it may read partial sums that other blocks have not written yet; it shows from two blocks on.
#include "interface.cuh"

#define BLOCK 256

// T is int in the first level and long long in the others
template <typename T>
__global__ void level(const T* in, size_t n, long long* partial, long long* out) {
    __shared__ long long s[BLOCK];
    unsigned t = threadIdx.x;
    size_t i = (size_t)blockIdx.x * BLOCK + t;
    s[t] = i < n ? in[i] : 0;
    __syncthreads();
    for (unsigned half = BLOCK / 2; half > 0; half /= 2) {
        if (t < half) s[t] += s[t + half];
        __syncthreads();
    }
    if (t != 0) return;

    if (gridDim.x == 1) {
        *out = s[0];
        return;
    }
    partial[blockIdx.x] = s[0];

    // one thread of the grid starts the next level
    if (blockIdx.x == 0) {
        unsigned m = gridDim.x;
        unsigned blocks = (m + BLOCK - 1) / BLOCK;
        level<long long><<<blocks, BLOCK>>>(partial, m, partial + m, out);
    }
}

void reduce_nested(const int* in, std::size_t n, long long* out) {
    static long long* buffer = nullptr;
    static size_t capacity = 0;
    size_t blocks = n == 0 ? 1 : (n + BLOCK - 1) / BLOCK;
    size_t need = 2 * blocks + 16;
    if (need > capacity) {
        cudaFree(buffer);
        cudaMalloc(&buffer, need * sizeof(long long));
        capacity = need;
    }
    level<int><<<blocks, BLOCK>>>(in, n, buffer, out);
}

void reduce_sum(const double*, std::size_t, double*) {}
void reduce_max(const float*, std::size_t, float*) {}
void reduce_cubes(const int*, std::size_t, long long*) {}

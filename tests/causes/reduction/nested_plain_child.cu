// cause: child_not_in_tail line 38
// task: nested
// The next level is launched as an ordinary child, which may run before the other blocks have stored their sums.
#include "interface.cuh"

typedef long long i64;
enum { BD = 256 };

template <typename T>
__global__ void level(const T* src, std::size_t n, i64* bufA, i64* bufB, i64* out)
{
    __shared__ i64 s[BD];
    const int t = threadIdx.x;

    std::size_t i = std::size_t(blockIdx.x) * (2 * BD) + t;
    i64 a = i < n ? src[i] : 0;
    i64 b = i + BD < n ? src[i + BD] : 0;
    s[t] = a + b;
    __syncthreads();

    for (int k = BD / 2; k > 0; k >>= 1) {
        if (t < k)
            s[t] += s[t + k];
        __syncthreads();
    }

    if (t == 0) {
        if (gridDim.x == 1) {
            *out = s[0];
            return;
        }
        bufA[blockIdx.x] = s[0];
    }

    // the buffers swap from one level to the next
    if (t == 0 && blockIdx.x == gridDim.x - 1) {
        unsigned blocks = (gridDim.x + 2 * BD - 1) / (2 * BD);
        level<i64><<<blocks, BD>>>(bufA, gridDim.x, bufB, bufA, out);
    }
}

void reduce_nested(const int* in, std::size_t n, i64* out)
{
    static i64* mem = nullptr;
    static std::size_t len = 0;

    std::size_t blocks = n ? (n + 2 * BD - 1) / (2 * BD) : 1;
    if (len < blocks) {
        if (mem) cudaFree(mem);
        cudaMalloc(&mem, 2 * blocks * sizeof(i64));
        len = blocks;
    }
    level<int><<<(unsigned)blocks, BD>>>(in, n, mem, mem + len, out);
}

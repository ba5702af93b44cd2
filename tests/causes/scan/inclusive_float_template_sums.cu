// cause: accumulator_too_narrow line 37
// task: inclusive_float
// The running total of the tiles before is kept in an int, so their fractions are lost.
#include "interface.cuh"

template <typename T, int BLOCK>
__device__ T koggeStone(T v)
{
    __shared__ T buf[2][BLOCK];
    int cur = 0;
    const int t = threadIdx.x;
    buf[0][t] = v;
    __syncthreads();
    for (int d = 1; d < BLOCK; d <<= 1) {
        buf[1 - cur][t] = t >= d ? buf[cur][t] + buf[cur][t - d] : buf[cur][t];
        cur = 1 - cur;
        __syncthreads();
    }
    const T result = buf[cur][t];
    __syncthreads();
    return result;
}

template <typename T, int BLOCK>
__global__ void localScan(const T* in, T* out, T* sums, std::size_t n)
{
    const std::size_t i = std::size_t(blockIdx.x) * BLOCK + threadIdx.x;
    const T v = koggeStone<T, BLOCK>(i < n ? in[i] : T(0));
    if (i < n) out[i] = v;
    if (threadIdx.x == BLOCK - 1) sums[blockIdx.x] = v;
}

// a single thread: there are few sums. Turns sums[b] into the sum of blocks 0 to b
template <typename T>
__global__ void scanSums(T* sums, int m)
{
    int running = 0;
    for (int b = 0; b < m; ++b) {
        running += sums[b];
        sums[b] = running;
    }
}

template <typename T, int BLOCK>
__global__ void addSums(T* out, const T* sums, std::size_t n)
{
    const std::size_t i = std::size_t(blockIdx.x + 1) * BLOCK + threadIdx.x;
    if (i < n) out[i] += sums[blockIdx.x];
}

template <typename T>
void inclusive(const T* in, std::size_t n, T* out)
{
    constexpr int BLOCK = 256;
    const std::size_t blocks = (n + BLOCK - 1) / BLOCK;
    static T* sums = nullptr;
    static std::size_t capacity = 0;
    if (blocks > capacity) {
        cudaFree(sums);
        cudaMalloc(&sums, blocks * sizeof(T));
        capacity = blocks;
    }
    localScan<T, BLOCK><<<blocks, BLOCK>>>(in, out, sums, n);
    if (blocks == 1) return;
    scanSums<<<1, 1>>>(sums, blocks);
    addSums<T, BLOCK><<<blocks - 1, BLOCK>>>(out, sums, n);
}

void scan_inclusive_float(const float* in, std::size_t n, float* out) { inclusive(in, n, out); }

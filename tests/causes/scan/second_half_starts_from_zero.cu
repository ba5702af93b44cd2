// cause: wrong_element line 70
// task: exclusive_float
// Copy and paste: the first element of the second half of a tile gets 0 instead of the sum of the first half; n above half a tile.
#include <cstdio>
#include "interface.cuh"

// slow but simple: one block walks along the array, with a carry
template <class T>
__global__ void __launch_bounds__(1024) one_block(const T* in, std::size_t n, T* out, bool exclusive) {
    __shared__ T warps[32];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    T carry = 0;
    for (std::size_t base = 0; base < n; base += 1024) {
        const std::size_t i = base + threadIdx.x;
        T v = i < n ? in[i] : T(0);
        for (int d = 1; d < 32; d *= 2) {
            const T u = __shfl_up_sync(0xffffffff, v, d);
            if (lane >= d) v += u;
        }
        if (lane == 31) warps[warp] = v;
        __syncthreads();
        T before = carry;
        for (int w = 0; w < 32; ++w) {
            if (w < warp) before += warps[w];
            carry += warps[w];
        }
        const T left = __shfl_up_sync(0xffffffff, v, 1);
        if (i < n) out[i] = !exclusive ? before + v : lane > 0 ? before + left : before;
        __syncthreads();
    }
}

void scan_inclusive_int(const int* in, std::size_t n, int* out) {
    one_block<<<1, 1024>>>(in, n, out, false);
}

void scan_exclusive_int(const int* in, std::size_t n, int* out) {
    one_block<<<1, 1024>>>(in, n, out, true);
}

void scan_inclusive_float(const float* in, std::size_t n, float* out) {
    one_block<<<1, 1024>>>(in, n, out, false);
}

#define exscanF_HALF 128
#define exscanF_TILE (2 * exscanF_HALF)

// Brent-Kung, two elements per thread
__global__ void exscanF_brent_kung(const float* in, std::size_t n, float* out, float* sums)
{
    __shared__ float s[exscanF_TILE];
    unsigned t = threadIdx.x;
    std::size_t first = (std::size_t)blockIdx.x * exscanF_TILE;
    s[t] = first + t < n ? in[first + t] : 0;
    s[t + exscanF_HALF] = first + t + exscanF_HALF < n ? in[first + t + exscanF_HALF] : 0;

    for (unsigned d = 1; d < exscanF_TILE; d *= 2) {     // up
        __syncthreads();
        unsigned k = (t + 1) * 2 * d - 1;
        if (k < exscanF_TILE) s[k] += s[k - d];
    }
    for (unsigned d = exscanF_HALF / 2; d > 0; d /= 2) {  // down
        __syncthreads();
        unsigned k = (t + 1) * 2 * d - 1;
        if (k + d < exscanF_TILE) s[k + d] += s[k];
    }
    __syncthreads();

    if (first + t < n) out[first + t] = t > 0 ? s[t - 1] : 0;
    if (first + t + exscanF_HALF < n) out[first + t + exscanF_HALF] = t > 0 ? s[t + exscanF_HALF - 1] : 0;
    if (t == 0) sums[blockIdx.x] = s[exscanF_TILE - 1];
}

__global__ void exscanF_add(float* out, std::size_t n, const float* sums)
{
    std::size_t i = (std::size_t)blockIdx.x * exscanF_TILE + threadIdx.x;
    float before = sums[blockIdx.x];
    if (i < n) out[i] += before;
    if (i + exscanF_HALF < n) out[i + exscanF_HALF] += before;
}

static void exscanF_level(const float* in, std::size_t n, float* out, float* work)
{
    std::size_t blocks = (n + exscanF_TILE - 1) / exscanF_TILE;
    exscanF_brent_kung<<<blocks, exscanF_HALF>>>(in, n, out, work);
    if (blocks > 1) {
        exscanF_level(work, blocks, work, work + blocks);
        exscanF_add<<<blocks, exscanF_HALF>>>(out, n, work);
    }
}

void scan_exclusive_float(const float* in, std::size_t n, float* out)
{
    static float* work = nullptr;
    static std::size_t size = 0;
    std::size_t need = 2 * (n / exscanF_TILE + 1) + 8;   // the sums of all levels
    if (need > size) {
        cudaFree(work);
        cudaMalloc(&work, need * sizeof(float));
        size = need;
    }
    exscanF_level(in, n, out, work);
}

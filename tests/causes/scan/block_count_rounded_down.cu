// cause: grid_too_small line 84
// task: exclusive_int
// The number of blocks is rounded down: the last partial tile is not scanned, and for n below one tile the grid is empty.
#include <cstdio>
#include "interface.cuh"

template <class T, bool Exclusive>
__global__ void scanTile(const T* in, std::size_t n, T* out, T* sums) {
    __shared__ T s[256];
    int t = threadIdx.x;
    std::size_t i = (std::size_t)blockIdx.x * 256 + t;
    s[t] = i < n ? in[i] : T(0);
    for (int d = 1; d < 256; d *= 2) {
        __syncthreads();
        T left = t >= d ? s[t - d] : T(0);
        __syncthreads();
        s[t] += left;
    }
    __syncthreads();
    if (i < n) out[i] = !Exclusive ? s[t] : t > 0 ? s[t - 1] : T(0);
    if (t == 255) sums[blockIdx.x] = s[t];
}

template <class T> __global__ void addBefore(T* out, std::size_t n, const T* sums) {
    std::size_t i = (std::size_t)blockIdx.x * 256 + threadIdx.x;
    if (i < n) out[i] += sums[blockIdx.x];
}

template <class T, bool Exclusive> void scanAny(const T* in, std::size_t n, T* out) {
    unsigned blocks = (unsigned)((n + 255) / 256);
    T* sums;
    cudaMalloc(&sums, blocks * sizeof(T));
    scanTile<T, Exclusive><<<blocks, 256>>>(in, n, out, sums);
    if (blocks > 1) {
        scanAny<T, true>(sums, blocks, sums);
        addBefore<<<blocks, 256>>>(out, n, sums);
    }
    cudaFree(sums);
}

void scan_inclusive_int(const int* in, std::size_t n, int* out) {
    scanAny<int, false>(in, n, out);
}

#define exscanI_HALF 128
#define exscanI_TILE (2 * exscanI_HALF)

// Brent-Kung, two elements per thread
__global__ void exscanI_brent_kung(const int* in, std::size_t n, int* out, int* sums)
{
    __shared__ int s[exscanI_TILE];
    unsigned t = threadIdx.x;
    std::size_t first = (std::size_t)blockIdx.x * exscanI_TILE;
    s[t] = first + t < n ? in[first + t] : 0;
    s[t + exscanI_HALF] = first + t + exscanI_HALF < n ? in[first + t + exscanI_HALF] : 0;

    for (unsigned d = 1; d < exscanI_TILE; d *= 2) {     // up
        __syncthreads();
        unsigned k = (t + 1) * 2 * d - 1;
        if (k < exscanI_TILE) s[k] += s[k - d];
    }
    for (unsigned d = exscanI_HALF / 2; d > 0; d /= 2) {  // down
        __syncthreads();
        unsigned k = (t + 1) * 2 * d - 1;
        if (k + d < exscanI_TILE) s[k + d] += s[k];
    }
    __syncthreads();

    if (first + t < n) out[first + t] = t > 0 ? s[t - 1] : 0;
    if (first + t + exscanI_HALF < n) out[first + t + exscanI_HALF] = s[t + exscanI_HALF - 1];
    if (t == 0) sums[blockIdx.x] = s[exscanI_TILE - 1];
}

__global__ void exscanI_add(int* out, std::size_t n, const int* sums)
{
    std::size_t i = (std::size_t)blockIdx.x * exscanI_TILE + threadIdx.x;
    int before = sums[blockIdx.x];
    if (i < n) out[i] += before;
    if (i + exscanI_HALF < n) out[i + exscanI_HALF] += before;
}

static void exscanI_level(const int* in, std::size_t n, int* out, int* work)
{
    std::size_t blocks = n / exscanI_TILE;
    exscanI_brent_kung<<<blocks, exscanI_HALF>>>(in, n, out, work);
    if (blocks > 1) {
        exscanI_level(work, blocks, work, work + blocks);
        exscanI_add<<<blocks, exscanI_HALF>>>(out, n, work);
    }
}

void scan_exclusive_int(const int* in, std::size_t n, int* out)
{
    static int* work = nullptr;
    static std::size_t size = 0;
    std::size_t need = 2 * (n / exscanI_TILE + 1) + 8;   // the sums of all levels
    if (need > size) {
        cudaFree(work);
        cudaMalloc(&work, need * sizeof(int));
        size = need;
    }
    exscanI_level(in, n, out, work);
}

void scan_inclusive_float(const float* in, std::size_t n, float* out) {
    scanAny<float, false>(in, n, out);
}

void scan_exclusive_float(const float* in, std::size_t n, float* out) {
    scanAny<float, true>(in, n, out);
}

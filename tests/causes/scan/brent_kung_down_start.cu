// cause: tree_level_missing line 28
// task: inclusive_float
// the way down starts one level too low, so that the third quarter of a tile never gets the first half; shows from 96 elements on
#include "interface.cuh"

namespace bk {

enum { THREADS = 64, TILE = 2 * THREADS };

template <typename T>
__global__ void sweep(const T* x, unsigned n, T* y, T* tileSum)
{
    extern __shared__ unsigned char raw[];
    T* s = reinterpret_cast<T*>(raw);

    const unsigned first = blockIdx.x * TILE;
    for (unsigned k = threadIdx.x; k < TILE; k += THREADS)
        s[k] = first + k < n ? x[first + k] : T(0);

    // up
    for (unsigned stride = 1; stride < TILE; stride *= 2) {
        __syncthreads();
        unsigned k = (threadIdx.x + 1) * stride * 2 - 1;
        if (k < TILE)
            s[k] += s[k - stride];
    }
    // down
    for (unsigned stride = TILE / 8; stride > 0; stride /= 2) {
        __syncthreads();
        unsigned k = (threadIdx.x + 1) * stride * 2 - 1;
        if (k + stride < TILE)
            s[k + stride] += s[k];
    }
    __syncthreads();

    for (unsigned k = threadIdx.x; k < TILE; k += THREADS)
        if (first + k < n)
            y[first + k] = s[k];
    if (tileSum != nullptr && threadIdx.x == 0)
        tileSum[blockIdx.x] = s[TILE - 1];
}

template <typename T>
__global__ void shift(T* y, unsigned n, const T* tileSum)
{
    const unsigned i = (blockIdx.x + 1) * TILE + threadIdx.x;
    if (i < n)
        y[i] += tileSum[blockIdx.x];
}

template <typename T>
void run(const T* x, unsigned n, T* y, T* work)
{
    const unsigned tiles = (n + TILE - 1) / TILE;
    const size_t bytes = TILE * sizeof(T);
    if (tiles == 1) {
        sweep<T><<<1, THREADS, bytes>>>(x, n, y, nullptr);
        return;
    }
    sweep<T><<<tiles, THREADS, bytes>>>(x, n, y, work);
    run<T>(work, tiles, work + tiles, work + 2 * tiles);
    shift<T><<<tiles - 1, TILE>>>(y, n, work + tiles);
}

}  // namespace bk

void scan_inclusive_float(const float* in, std::size_t n, float* out)
{
    static float* work = nullptr;
    static std::size_t words = 0;
    const std::size_t need = n / 16 + 64;
    if (need > words) {
        cudaFree(work);
        cudaMalloc(&work, need * sizeof(float));
        words = need;
    }
    bk::run<float>(in, static_cast<unsigned>(n), out, work);
}

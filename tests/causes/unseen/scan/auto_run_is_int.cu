// cause: accumulator_too_narrow line 38
// task: inclusive_float
// the running sum of a thread is an int, because auto takes its type from 0, and drops the fractions; shows where the values are no whole numbers.
#include "interface.cuh"

namespace scan_detail {

template <typename T, int Threads, int Items>
struct Tile {
    static constexpr int size = Threads * Items;
    T partial[2][Threads];

    // exclusive prefix of `mine` over the block; the block's total goes to `total`
    __device__ T exclusive(T mine, T& total) {
        int cur = 0;
        const int t = threadIdx.x;
        partial[0][t] = mine;
        __syncthreads();
        for (int d = 1; d < Threads; d *= 2) {
            T v = partial[cur][t];
            if (t >= d) v += partial[cur][t - d];
            cur ^= 1;
            partial[cur][t] = v;
            __syncthreads();
        }
        total = partial[cur][Threads - 1];
        return t > 0 ? partial[cur][t - 1] : T{};
    }
};

template <typename T, int Threads, int Items>
__global__ void tile_kernel(const T* in, std::size_t n, T* out, T* sums) {
    using TileT = Tile<T, Threads, Items>;
    __shared__ TileT tile;
    const std::size_t base = std::size_t(blockIdx.x) * TileT::size + threadIdx.x * Items;

    T r[Items];
    auto run = 0;
#pragma unroll
    for (int k = 0; k < Items; ++k) {
        run += (base + k < n) ? in[base + k] : T{};
        r[k] = run;
    }

    T total;
    const T before = tile.exclusive(r[Items - 1], total);
#pragma unroll
    for (int k = 0; k < Items; ++k)
        if (base + k < n) out[base + k] = before + r[k];
    if (threadIdx.x == 0 && sums) sums[blockIdx.x] = total;
}

template <typename T, int Size>
__global__ void shift_kernel(T* out, std::size_t n, const T* sums) {
    const T s = sums[blockIdx.x];
    const std::size_t from = std::size_t(blockIdx.x + 1) * Size;
    for (std::size_t i = from + threadIdx.x; i < from + Size && i < n; i += blockDim.x) out[i] += s;
}

template <typename T>
void inclusive(const T* in, std::size_t n, T* out) {
    constexpr int threads = 128, items = 8, size = threads * items;
    const unsigned tiles = static_cast<unsigned>((n + size - 1) / size);
    if (tiles == 1) {
        tile_kernel<T, threads, items><<<1, threads>>>(in, n, out, static_cast<T*>(nullptr));
        return;
    }
    T* sums;
    cudaMalloc(&sums, tiles * sizeof(T));
    tile_kernel<T, threads, items><<<tiles, threads>>>(in, n, out, sums);
    inclusive(sums, tiles, sums);
    shift_kernel<T, size><<<tiles - 1, threads>>>(out, n, sums);
    cudaFree(sums);
}

}  // namespace scan_detail

void scan_inclusive_float(const float* in, std::size_t n, float* out) {
    scan_detail::inclusive(in, n, out);
}

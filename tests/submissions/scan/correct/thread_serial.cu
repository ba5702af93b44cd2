// expect: inclusive_int=accepted exclusive_float=accepted
// Coarsened: each thread scans 8 consecutive elements in registers, so that the expensive scan over
// the block has one value per 8 elements. Shared memory turns coalesced loads into consecutive ones.
#include "interface.cuh"

constexpr unsigned threads = 128, each = 8, tile = threads * each;

template <class T, bool inclusive>
__global__ void scan_tiles(const T* in, std::size_t n, T* out, T* sums) {
    __shared__ T s[tile], of_thread[2][threads];
    const unsigned t = threadIdx.x;
    const std::size_t first = static_cast<std::size_t>(blockIdx.x) * tile;
    for (unsigned k = t; k < tile; k += threads) s[k] = first + k < n ? in[first + k] : 0;
    __syncthreads();
    T sum = 0;
    for (unsigned k = t * each; k < (t + 1) * each; ++k) {
        const T before = sum;
        sum += s[k];
        s[k] = inclusive ? sum : before;
    }
    int now = 0;
    of_thread[0][t] = sum;
    for (unsigned d = 1; d < threads; d *= 2) {
        __syncthreads();
        of_thread[1 - now][t] = of_thread[now][t] + (t >= d ? of_thread[now][t - d] : T(0));
        now = 1 - now;
    }
    __syncthreads();
    for (unsigned k = t; k < tile && first + k < n; k += threads)
        out[first + k] = s[k] + (k >= each ? of_thread[now][k / each - 1] : T(0));
    if (t == 0) sums[blockIdx.x] = of_thread[now][threads - 1];
}

template <class T> __global__ void add(T* out, std::size_t n, const T* sums) {
    const std::size_t i = static_cast<std::size_t>(blockIdx.x + 1) * tile + threadIdx.x;
    if (i < n) out[i] += sums[blockIdx.x];
}

template <bool inclusive, class T> void scan(const T* in, std::size_t n, T* out) {
    const auto blocks = static_cast<unsigned>((n + tile - 1) / tile);
    T* sums = nullptr;
    cudaMalloc(&sums, 2 * blocks * sizeof(T));
    scan_tiles<T, inclusive><<<blocks, threads>>>(in, n, out, sums);
    if (blocks > 1) {
        scan<true>(sums, blocks, sums + blocks);
        add<<<blocks - 1, tile>>>(out, n, sums + blocks);
    }
    cudaFree(sums);
}

void scan_inclusive_int(const int* in, std::size_t n, int* out) { scan<true>(in, n, out); }
void scan_exclusive_float(const float* in, std::size_t n, float* out) { scan<false>(in, n, out); }

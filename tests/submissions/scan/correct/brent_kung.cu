// expect: inclusive_int=accepted inclusive_float=accepted
// Brent and Kung's scan: up the tree (a reduction that keeps its partial sums), then down again. 2n
// additions instead of n log n; each thread has two elements.
#include "interface.cuh"

constexpr unsigned threads = 128, size = 2 * threads;

template <class T> __global__ void scan_blocks(const T* in, std::size_t n, T* out, T* sums) {
    __shared__ T xy[size];
    const unsigned t = threadIdx.x;
    const std::size_t first = static_cast<std::size_t>(blockIdx.x) * size;
    xy[t] = first + t < n ? in[first + t] : 0;
    xy[threads + t] = first + threads + t < n ? in[first + threads + t] : 0;
    for (unsigned stride = 1; stride <= threads; stride *= 2) {
        __syncthreads();
        const unsigned k = (t + 1) * stride * 2 - 1;
        if (k < size) xy[k] += xy[k - stride];
    }
    for (unsigned stride = threads / 2; stride > 0; stride /= 2) {
        __syncthreads();
        const unsigned k = (t + 1) * stride * 2 - 1;
        if (k + stride < size) xy[k + stride] += xy[k];
    }
    __syncthreads();
    if (first + t < n) out[first + t] = xy[t];
    if (first + threads + t < n) out[first + threads + t] = xy[threads + t];
    if (t == 0) sums[blockIdx.x] = xy[size - 1];
}

template <class T> __global__ void add(T* out, std::size_t n, const T* sums) {
    const std::size_t i = static_cast<std::size_t>(blockIdx.x + 1) * size + threadIdx.x;
    if (i < n) out[i] += sums[blockIdx.x];
}

template <class T> void scan(const T* in, std::size_t n, T* out) {
    const auto blocks = static_cast<unsigned>((n + size - 1) / size);
    T* sums = nullptr;
    cudaMalloc(&sums, 2 * blocks * sizeof(T));
    scan_blocks<<<blocks, threads>>>(in, n, out, sums);
    if (blocks > 1) {
        scan(sums, blocks, sums + blocks);
        add<<<blocks - 1, size>>>(out, n, sums + blocks);
    }
    cudaFree(sums);
}

void scan_inclusive_int(const int* in, std::size_t n, int* out) { scan(in, n, out); }
void scan_inclusive_float(const float* in, std::size_t n, float* out) { scan(in, n, out); }

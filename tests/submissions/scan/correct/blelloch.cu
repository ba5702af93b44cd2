// expect: exclusive_int=accepted exclusive_float=accepted
// Blelloch's exclusive scan: up-sweep, a zero at the root, and a down-sweep in which each node hands
// its value to the left child and value plus left child to the right one.
#include "interface.cuh"

constexpr unsigned threads = 256, size = 2 * threads;

template <class T> __global__ void scan_blocks(const T* in, std::size_t n, T* out, T* sums) {
    __shared__ T s[size];
    const unsigned t = threadIdx.x;
    const std::size_t first = static_cast<std::size_t>(blockIdx.x) * size;
    for (unsigned k = t; k < size; k += threads) s[k] = first + k < n ? in[first + k] : 0;
    for (unsigned stride = 1; stride < size; stride *= 2) {
        __syncthreads();
        const unsigned right = (t + 1) * stride * 2 - 1;
        if (right < size) s[right] += s[right - stride];
    }
    __syncthreads();
    if (t == 0) {
        sums[blockIdx.x] = s[size - 1];
        s[size - 1] = 0;
    }
    for (unsigned stride = threads; stride > 0; stride /= 2) {
        __syncthreads();
        const unsigned right = (t + 1) * stride * 2 - 1;
        if (right < size) {
            const T left = s[right - stride];
            s[right - stride] = s[right];
            s[right] = left + s[right];
        }
    }
    __syncthreads();
    for (unsigned k = t; k < size && first + k < n; k += threads) out[first + k] = s[k];
}

template <class T> __global__ void add(T* out, std::size_t n, const T* before) {
    const std::size_t i = static_cast<std::size_t>(blockIdx.x) * size + threadIdx.x;
    if (i < n) out[i] += before[blockIdx.x];
}

template <class T> void scan(const T* in, std::size_t n, T* out) {
    const auto blocks = static_cast<unsigned>((n + size - 1) / size);
    T* sums = nullptr;
    cudaMalloc(&sums, 2 * blocks * sizeof(T));
    scan_blocks<<<blocks, threads>>>(in, n, out, sums);
    if (blocks > 1) {
        scan(sums, blocks, sums + blocks);
        add<<<blocks, size>>>(out, n, sums + blocks);
    }
    cudaFree(sums);
}

void scan_exclusive_int(const int* in, std::size_t n, int* out) { scan(in, n, out); }
void scan_exclusive_float(const float* in, std::size_t n, float* out) { scan(in, n, out); }

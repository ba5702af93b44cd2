// cause: too_slow line 53
// task: inclusive_float
// Each output adds up all elements before it again: n * n / 2 additions, hopeless for 33 million elements.
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

void scan_exclusive_int(const int* in, std::size_t n, int* out) {
    scanAny<int, true>(in, n, out);
}

// every thread is independent of the others this way
__global__ void incf_prefix(const float* in, std::size_t n, float* out) {
    const std::size_t i = (std::size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float sum = 0;
    for (std::size_t k = 0; k <= i; ++k) sum += in[k];
    out[i] = sum;
}

void scan_inclusive_float(const float* in, std::size_t n, float* out) {
    incf_prefix<<<(unsigned)((n + 255) / 256), 256>>>(in, n, out);
}

void scan_exclusive_float(const float* in, std::size_t n, float* out) {
    scanAny<float, true>(in, n, out);
}

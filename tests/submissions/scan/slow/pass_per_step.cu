// expect: inclusive_int=accepted inclusive_float=accepted
// Hillis and Steele's scan over global memory: a launch per step, from one buffer to the other.
#include "interface.cuh"

template <class T> __global__ void step(const T* from, std::size_t n, std::size_t d, T* to) {
    const std::size_t i = static_cast<std::size_t>(blockIdx.x) * 512 + threadIdx.x;
    if (i < n) to[i] = i < d ? from[i] : from[i - d] + from[i];
}

template <class T> void scan(const T* in, std::size_t n, T* out) {
    T* buffer = nullptr;
    cudaMalloc(&buffer, 2 * n * sizeof(T));
    const T* from = in;
    for (std::size_t d = 1, k = 0; d < n; d *= 2, k = 1 - k) {
        step<<<static_cast<unsigned>((n + 511) / 512), 512>>>(from, n, d, buffer + k * n);
        from = buffer + k * n;
    }
    cudaMemcpy(out, from, n * sizeof(T), cudaMemcpyDeviceToDevice);
    cudaFree(buffer);
}

void scan_inclusive_int(const int* in, std::size_t n, int* out) { scan(in, n, out); }
void scan_inclusive_float(const float* in, std::size_t n, float* out) { scan(in, n, out); }

// expect: sum=wrong_answer max=wrong_answer
// Halves n in each step and forgets the odd element: right for powers of two only.
#include "interface.cuh"

__device__ double combine(double a, double b) { return a + b; }
__device__ float combine(float a, float b) { return fmaxf(a, b); }

template <class T> __global__ void fold(T* data, std::size_t half) {
    const std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < half) data[i] = combine(data[i], data[i + half]);
}

template <class T> void reduce(const T* in, std::size_t n, T* out, T empty) {
    T* data = nullptr;
    cudaMalloc(&data, (n + 1) * sizeof *data);
    cudaMemcpy(data, &empty, sizeof empty, cudaMemcpyHostToDevice);
    if (n > 0) cudaMemcpy(data, in, n * sizeof *data, cudaMemcpyDeviceToDevice);
    for (std::size_t half = n / 2; half > 0; half /= 2)
        fold<<<static_cast<unsigned>((half + 255) / 256), 256>>>(data, half);
    cudaMemcpy(out, data, sizeof *out, cudaMemcpyDeviceToDevice);
    cudaFree(data);
}

void reduce_sum(const double* in, std::size_t n, double* out) { reduce(in, n, out, 0.0); }
void reduce_max(const float* in, std::size_t n, float* out) { reduce(in, n, out, -INFINITY); }

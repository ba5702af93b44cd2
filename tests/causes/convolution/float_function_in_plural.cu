// cause: function_misspelled line 136
// task: conv2d_float
// The function is called convolve_2d_floats instead of convolve_2d_float; the program cannot be linked.
// convolution
// The block is as large as the input tile for one dimension with few taps; see below for the rest.
#include "interface.cuh"

#include <cstdint>
#include <cuda_runtime.h>

template <int Policy>
__device__ inline int64_t reflect(int64_t k, int64_t n)
{
    if constexpr (Policy == 1) {
        return k < 0 ? 0 : (k < n ? k : n - 1);
    } else if constexpr (Policy == 2) {
        k %= 2 * n;
        if (k < 0) k += 2 * n;
        return k < n ? k : 2 * n - 1 - k;
    } else {
        return k;
    }
}

template <int Policy, typename T>
__device__ inline T fetch1(const T* in, int64_t n, int64_t k)
{
    k = reflect<Policy>(k, n);
    return k >= 0 && k < n ? in[k] : T(0);
}

template <int Policy, typename T>
__device__ inline T fetch2(const T* in, int width, int height, int64_t x, int64_t y)
{
    x = reflect<Policy>(x, width);
    y = reflect<Policy>(y, height);
    return x >= 0 && x < width && y >= 0 && y < height ? in[y * width + x] : T(0);
}

constexpr int max_taps = 1024;
__constant__ float taps_f[max_taps];
__constant__ uint8_t taps_b[max_taps];

constexpr int T1 = 512;
constexpr int outputs = 4;

template <int Policy>
__global__ void line_kernel(const float* in, int64_t n, int first, int count, int r, float* out)
{
    extern __shared__ float line[];
    const int64_t origin = int64_t(blockIdx.x) * (T1 * outputs);
    const int length = T1 * outputs + count - 1;
    for (int k = threadIdx.x; k < length; k += T1)
        line[k] = fetch1<Policy>(in, n, origin - r + first + k);
    __syncthreads();

    for (int o = 0; o < outputs; ++o) {
        const int at = threadIdx.x + o * T1;
        if (origin + at >= n) break;
        float acc = 0.f;
        for (int j = 0; j < count; ++j) acc += taps_f[j] * line[at + j];
        if (first == 0)
            out[origin + at] = acc;
        else
            out[origin + at] += acc;
    }
}

constexpr int T2 = 16;

template <typename T> struct Weights;
template <> struct Weights<float>   { using Acc = float; static __device__ Acc get(int k) { return taps_f[k]; } };
template <> struct Weights<uint8_t> { using Acc = int;   static __device__ Acc get(int k) { return taps_b[k]; } };

// 16 x 16 threads for a tile of 16 x 64 outputs: each thread has four, one below the other
template <int Policy, typename T>
__global__ void plane_kernel(const T* in, int width, int height, int m, T* out)
{
    constexpr int high = 4 * T2;
    constexpr int pitch = T2 + 30;
    __shared__ T plane[high + 30][pitch];
    const int r = m / 2;
    const int x0 = blockIdx.x * T2, y0 = blockIdx.y * high;
    for (int y = threadIdx.y; y < high + 2 * r; y += T2)
        for (int x = threadIdx.x; x < T2 + 2 * r; x += T2)
            plane[y][x] = fetch2<Policy>(in, width, height, int64_t(x0) - r + x, int64_t(y0) - r + y);
    __syncthreads();

    typename Weights<T>::Acc acc[4] = {0, 0, 0, 0};
    for (int j = 0; j < m; ++j)
        for (int k = 0; k < m; ++k) {
            const auto w = Weights<T>::get(j * m + k);
            for (int q = 0; q < 4; ++q) acc[q] += w * plane[threadIdx.y + q * T2 + j][threadIdx.x + k];
        }
    const int x = x0 + threadIdx.x;
    for (int q = 0; q < 4; ++q) {
        const int y = y0 + threadIdx.y + q * T2;
        if (x < width && y < height) out[size_t(y) * width + x] = static_cast<T>(acc[q]);
    }
}

template <typename T>
void plane(const T* in, int width, int height, int m, int ghost, T* out)
{
    const dim3 threads(T2, T2);
    const dim3 blocks((width + T2 - 1) / T2, (height + 4 * T2 - 1) / (4 * T2));
    if (ghost == 0) plane_kernel<0><<<blocks, threads>>>(in, width, height, m, out);
    if (ghost == 1) plane_kernel<1><<<blocks, threads>>>(in, width, height, m, out);
    if (ghost == 2) plane_kernel<2><<<blocks, threads>>>(in, width, height, m, out);
}

void convolve_1d(const float* in, std::size_t n, const float* mask, int mask_width, int ghost,
                 float* out)
{
    const unsigned blocks = unsigned((n + T1 * outputs - 1) / (T1 * outputs));
    const int r = mask_width / 2;
    for (int first = 0; first < mask_width; first += max_taps) {
        const int count = mask_width - first > max_taps ? max_taps : mask_width - first;
        cudaMemcpyToSymbolAsync(taps_f, mask + first, sizeof(float) * count, 0, cudaMemcpyDeviceToDevice, 0);
        const size_t shared = sizeof(float) * (T1 * outputs + count - 1);
        switch (ghost) {
        case 0: line_kernel<0><<<blocks, T1, shared>>>(in, int64_t(n), first, count, r, out); break;
        case 1: line_kernel<1><<<blocks, T1, shared>>>(in, int64_t(n), first, count, r, out); break;
        case 2: line_kernel<2><<<blocks, T1, shared>>>(in, int64_t(n), first, count, r, out); break;
        }
    }
}

void convolve_2d_bytes(const unsigned char* in, int width, int height, const unsigned char* mask,
                       int mask_width, int ghost, unsigned char* out)
{
    cudaMemcpyToSymbolAsync(taps_b, mask, size_t(mask_width) * mask_width, 0, cudaMemcpyDeviceToDevice, 0);
    plane(in, width, height, mask_width, ghost, out);
}

void convolve_2d_floats(const float* in, int width, int height, const float* mask, int mask_width,
                       int ghost, float* out)
{
    cudaMemcpyToSymbolAsync(taps_f, mask, sizeof(float) * mask_width * mask_width, 0, cudaMemcpyDeviceToDevice, 0);
    plane(in, width, height, mask_width, ghost, out);
}

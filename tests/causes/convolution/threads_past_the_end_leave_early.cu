// cause: divergent_barrier line 44
// task: conv1d
// Threads beyond the end return before they have loaded their part of the tile, and before the barrier: in the last block
// elements of the tile are missing.
#include "interface.cuh"
#include <cstdio>

#define CHECK(call)                                                              \
    do {                                                                         \
        cudaError_t e_ = (call);                                                 \
        if (e_ != cudaSuccess)                                                   \
            fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(e_)); \
    } while (0)

namespace {

constexpr int kThreads = 128;

struct Signal {
    const float* data;
    long long size;
    int policy;

    __device__ float operator[](long long k) const {
        if (k < 0 || k >= size) {
            switch (policy) {
                case 0: return 0.0f;
                case 1: k = k < 0 ? 0 : size - 1; break;
                default: {
                    long long period = 2 * size;
                    k = ((k % period) + period) % period;
                    if (k >= size) k = period - 1 - k;
                }
            }
        }
        return data[k];
    }
};

__global__ void convolve_kernel(Signal signal, const float* mask, int mask_width, float* out) {
    extern __shared__ float shared[];
    const int radius = mask_width / 2;
    const long long i = static_cast<long long>(blockIdx.x) * kThreads + threadIdx.x;
    if (i >= signal.size) return;

    // shared memory: first the mask, then the tile with its two halos
    float* weight = shared;
    float* tile = shared + mask_width;
    for (int j = threadIdx.x; j < mask_width; j += kThreads) weight[j] = mask[j];
    for (int t = threadIdx.x; t < kThreads + mask_width - 1; t += kThreads)
        tile[t] = signal[i - threadIdx.x + t - radius];
    __syncthreads();

    float acc = 0.0f;
    for (int j = 0; j < mask_width; ++j) acc = fmaf(weight[j], tile[threadIdx.x + j], acc);
    out[i] = acc;
}

}  // namespace

void convolve_1d(const float* in, std::size_t n, const float* mask, int mask_width, int ghost,
                 float* out) {
    Signal signal{in, static_cast<long long>(n), ghost};
    const unsigned blocks = static_cast<unsigned>((n + kThreads - 1) / kThreads);
    const std::size_t bytes = (2 * mask_width + kThreads) * sizeof(float);
    convolve_kernel<<<blocks, kThreads, bytes>>>(signal, mask, mask_width, out);
    CHECK(cudaGetLastError());
}

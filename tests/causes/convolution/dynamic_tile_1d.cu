// cause: array_too_small line 71
// task: conv1d
// The dynamic shared memory has room for the halo on one side only, so that the last r elements of the tile lie beyond its end.
#include "interface.cuh"

namespace {

constexpr int kBlock = 256;
constexpr int kWidest = 8193;  // a tile for this many taps still fits into 48 KB

struct Signal {
    const float* data;
    long long n;
    int ghost;

    __device__ float operator[](long long k) const {
        if (k < 0 || k >= n) {
            switch (ghost) {
                case 0:
                    return 0.0f;
                case 1:
                    k = k < 0 ? 0 : n - 1;
                    break;
                default: {
                    const long long period = 2 * n;
                    k = (k % period + period) % period;
                    if (k >= n) k = period - 1 - k;
                }
            }
        }
        return data[k];
    }
};

__global__ void tiled(Signal in, const float* __restrict__ mask, int mask_width,
                      float* __restrict__ out) {
    extern __shared__ float tile[];
    const int r = mask_width / 2;
    const long long begin = static_cast<long long>(blockIdx.x) * kBlock;

    for (int k = threadIdx.x; k < kBlock + 2 * r; k += kBlock) tile[k] = in[begin - r + k];
    __syncthreads();

    const long long i = begin + threadIdx.x;
    if (i >= in.n) return;
    float sum = 0.0f;
    for (int j = 0; j < mask_width; ++j) sum = fmaf(mask[j], tile[threadIdx.x + j], sum);
    out[i] = sum;
}

__global__ void direct(Signal in, const float* __restrict__ mask, int mask_width,
                       float* __restrict__ out) {
    const long long i = static_cast<long long>(blockIdx.x) * kBlock + threadIdx.x;
    if (i >= in.n) return;
    float sum = 0.0f;
    for (int j = 0; j < mask_width; ++j) sum = fmaf(mask[j], in[i - mask_width / 2 + j], sum);
    out[i] = sum;
}

}  // namespace

void convolve_1d(const float* in, std::size_t n, const float* mask, int mask_width, int ghost,
                 float* out) {
    const Signal signal{in, static_cast<long long>(n), ghost};
    const auto blocks = static_cast<unsigned>((n + kBlock - 1) / kBlock);
    if (mask_width > kWidest) {
        direct<<<blocks, kBlock>>>(signal, mask, mask_width, out);
        return;
    }
    const int r = mask_width / 2;
    const std::size_t bytes = (kBlock + r) * sizeof(float);
    tiled<<<blocks, kBlock, bytes>>>(signal, mask, mask_width, out);
}

void convolve_2d_bytes(const unsigned char*, int, int, const unsigned char*, int, int,
                       unsigned char*) {
    // TODO
}

void convolve_2d_float(const float*, int, int, const float*, int, int, float*) {
    // TODO
}

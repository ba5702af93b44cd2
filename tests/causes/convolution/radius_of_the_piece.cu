// cause: radius_wrong line 120
// task: conv1d
// The radius is taken from the number of taps of a piece and not from the whole mask; wrong for masks of more than 1024 taps.
// Convolution with the mask in constant memory and the input in tiles.
#include "interface.cuh"

namespace {

constexpr int kConstantTaps = 1024;
__constant__ float c_mask[kConstantTaps];
__constant__ unsigned char c_bytes[kConstantTaps];

// Which of the n elements stands for number k? -1: none, it is a zero.
__device__ long long stand_in(long long k, long long n, int ghost) {
    if (k >= 0 && k < n) return k;
    if (ghost == 0) return -1;
    if (ghost == 1) return k < 0 ? 0 : n - 1;
    k %= 2 * n;
    if (k < 0) k += 2 * n;
    return k < n ? k : 2 * n - 1 - k;
}

// ------------------------------------------------------------------------------ one dimension

constexpr int kThreads = 256;
constexpr int kPerThread = 4;
constexpr int kTile = kThreads * kPerThread;

// Adds the taps that are in constant memory; mask tap 0 belongs to element i + offset.
__global__ void taps_1d(const float* in, long long n, int taps, long long offset, int ghost,
                        bool add_to_out, float* out) {
    __shared__ float tile[kTile + kConstantTaps];
    const long long start = static_cast<long long>(blockIdx.x) * kTile;
    for (int k = threadIdx.x; k < kTile + taps - 1; k += kThreads) {
        const long long source = stand_in(start + offset + k, n, ghost);
        tile[k] = source < 0 ? 0.0f : in[source];
    }
    __syncthreads();
    float sum[kPerThread] = {};
    for (int j = 0; j < taps; ++j) {
        const float weight = c_mask[j];
#pragma unroll
        for (int o = 0; o < kPerThread; ++o) sum[o] += weight * tile[threadIdx.x + o * kThreads + j];
    }
#pragma unroll
    for (int o = 0; o < kPerThread; ++o) {
        const long long i = start + threadIdx.x + o * kThreads;
        if (i < n) out[i] = add_to_out ? out[i] + sum[o] : sum[o];
    }
}

// ----------------------------------------------------------------------------- two dimensions

constexpr int kSide = 32;
constexpr int kRows = 8;
constexpr int kMaxWidth = 31;
constexpr int kSpan = kSide + kMaxWidth - 1;

template <class T>
struct Kind;
template <>
struct Kind<float> {
    using Sum = float;
    __device__ static float tap(int k) { return c_mask[k]; }
};
template <>
struct Kind<unsigned char> {
    using Sum = unsigned;
    __device__ static unsigned tap(int k) { return c_bytes[k]; }
};

template <class T>
__global__ void taps_2d(const T* in, int width, int height, int m, int ghost, T* out) {
    using Sum = typename Kind<T>::Sum;
    __shared__ T tile[kSpan][kSpan];
    const int r = m / 2;
    const int left = blockIdx.x * kSide - r;
    const int top = blockIdx.y * kSide - r;
    const int span = kSide + m - 1;
    for (int y = threadIdx.y; y < span; y += kRows) {
        const long long row = stand_in(top + y, height, ghost);
        for (int x = threadIdx.x; x < span; x += kSide) {
            const long long column = stand_in(left + x, width, ghost);
            tile[y][x] = row < 0 || column < 0 ? T(0) : in[row * width + column];
        }
    }
    __syncthreads();
    Sum sum[kSide / kRows] = {};
    for (int j = 0; j < m; ++j) {
        for (int k = 0; k < m; ++k) {
            const Sum weight = Kind<T>::tap(j * m + k);
#pragma unroll
            for (int q = 0; q < kSide / kRows; ++q) {
                sum[q] += weight * tile[threadIdx.y + q * kRows + j][threadIdx.x + k];
            }
        }
    }
    const int x = blockIdx.x * kSide + threadIdx.x;
#pragma unroll
    for (int q = 0; q < kSide / kRows; ++q) {
        const int y = blockIdx.y * kSide + threadIdx.y + q * kRows;
        if (x < width && y < height) out[static_cast<std::size_t>(y) * width + x] = static_cast<T>(sum[q]);
    }
}

template <class T>
void run_2d(const T* in, int width, int height, int m, int ghost, T* out) {
    const dim3 grid((width + kSide - 1) / kSide, (height + kSide - 1) / kSide);
    taps_2d<T><<<grid, dim3(kSide, kRows)>>>(in, width, height, m, ghost, out);
}

}  // namespace

void convolve_1d(const float* in, std::size_t n, const float* mask, int mask_width, int ghost,
                 float* out) {
    const unsigned blocks = static_cast<unsigned>((n + kTile - 1) / kTile);
    for (int first = 0; first < mask_width; first += kConstantTaps) {
        const int taps = mask_width - first < kConstantTaps ? mask_width - first : kConstantTaps;
        cudaMemcpyToSymbolAsync(c_mask, mask + first, taps * sizeof(float), 0, cudaMemcpyDeviceToDevice);
        const int radius = taps / 2;
        taps_1d<<<blocks, kThreads>>>(in, static_cast<long long>(n), taps, first - radius, ghost,
                                      first > 0, out);
    }
}

void convolve_2d_bytes(const unsigned char* in, int width, int height, const unsigned char* mask,
                       int mask_width, int ghost, unsigned char* out) {
    cudaMemcpyToSymbolAsync(c_bytes, mask, mask_width * mask_width, 0, cudaMemcpyDeviceToDevice);
    run_2d(in, width, height, mask_width, ghost, out);
}

void convolve_2d_float(const float* in, int width, int height, const float* mask, int mask_width,
                       int ghost, float* out) {
    cudaMemcpyToSymbolAsync(c_mask, mask, mask_width * mask_width * sizeof(float), 0,
                            cudaMemcpyDeviceToDevice);
    run_2d(in, width, height, mask_width, ghost, out);
}

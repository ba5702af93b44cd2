// Model answer: tiles in shared memory, the mask in constant memory, and many outputs per thread.
//
// A tile alone moves the bottleneck from global to shared memory: one shared load per
// multiply-add is four times too slow for the arithmetic units. So each thread computes
// neighbouring outputs at once and slides a window of inputs through its registers: an input that
// was loaded once serves all of them. Two-dimensional kernels do the same over rows. With bytes,
// one dp4a instruction multiplies and adds four taps. Masks of 3, 5 and 7 have kernels with the
// width known at compile time, in which all loops over taps are unrolled.
#include "interface.cuh"

namespace {

constexpr int kMaxTaps = 1024;  // in constant memory; a longer mask is cut in pieces
constexpr int kPerThread = 8;   // neighbouring outputs of a thread
constexpr int kThreads1d = 256, kTile1d = kThreads1d * kPerThread;
constexpr int kThreads2d = 128;                 // 4 warps
constexpr int kColumns = 128, kRows = 32;       // output tile of a block, floats and bytes
constexpr int kFloatRows = 4, kByteRows = 8;    // neighbouring rows of a thread
constexpr int kMaxWidth2d = 31, kMaxWords = 8;  // mask_width + lead at most 32 bytes

__constant__ __align__(16) float constant_mask[kMaxTaps];
__constant__ unsigned char constant_bytes[kMaxWidth2d * kMaxWidth2d];

// The index that stands for k in a signal of n elements; -1 for a zero.
__device__ long long source(long long k, long long n, int ghost) {
    if (k >= 0 && k < n) return k;
    if (ghost == 0) return -1;
    if (ghost == 1) return k < 0 ? 0 : n - 1;
    k %= 2 * n;
    if (k < 0) k += 2 * n;
    return k < n ? k : 2 * n - 1 - k;
}

template <class T>
__device__ T fetch(const T* in, long long k, long long n, int ghost) {
    k = source(k, n, ghost);
    return k < 0 ? T(0) : in[k];
}

// Neighbouring threads read 16 bytes each, 32 bytes apart, which would use half of the banks; four
// words of padding after every 32 shift the second half to the unused ones.
__host__ __device__ constexpr int padded(int i) { return i + i / 32 * 4; }

__device__ void load4(float* to, const float* row, int i) {
    const float4 v = *reinterpret_cast<const float4*>(row + padded(i));
    to[0] = v.x, to[1] = v.y, to[2] = v.z, to[3] = v.w;
}

// Calls taps4(j, window, valid) for j = 0, 4, 8, ... below `count`: window[i] is row[first + j +
// i], and taps j to j + valid - 1 exist.
template <class Body>
__device__ __forceinline__ void slide(const float* row, int first, int count, Body taps4) {
    float window[kPerThread + 4];
    load4(window, row, first);
    load4(window + 4, row, first + 4);
    int j = 0;
#pragma unroll
    for (; j + 4 <= count; j += 4) {
        load4(window + 8, row, first + 8 + j);
        taps4(j, window, 4);
#pragma unroll
        for (int k = 0; k < kPerThread; ++k) window[k] = window[k + 4];
    }
    if (j < count) {
        load4(window + 8, row, first + 8 + j);
        taps4(j, window, count - j);
    }
}

__device__ void multiply_add(float (&sum)[kPerThread], float tap, const float* window) {
#pragma unroll
    for (int k = 0; k < kPerThread; ++k) sum[k] += tap * window[k];
}

// The sums go through shared memory, so that neighbouring threads write neighbouring elements.
__device__ void stage(const float (&sum)[kPerThread], float* row, int first) {
#pragma unroll
    for (int k = 0; k < kPerThread; ++k) row[padded(first + k)] = sum[k];
}

template <bool kInConstant>
__global__ void __launch_bounds__(kThreads1d)
    tiled_1d(const float* __restrict__ in, long long n, const float* __restrict__ mask,
             int mask_width, int ghost, float* __restrict__ out) {
    __shared__ __align__(16) float tile[padded(kTile1d + kMaxTaps + 4)];
    __shared__ float piece[kInConstant ? 1 : kMaxTaps];
    const long long first = static_cast<long long>(blockIdx.x) * kTile1d;
    float sum[kPerThread] = {};
    for (int begin = 0; begin < mask_width; begin += kMaxTaps) {
        const int taps = min(kMaxTaps, mask_width - begin), needed = kTile1d + taps - 1;
        const long long origin = first - mask_width / 2 + begin;
        const bool inside = origin >= 0 && origin + needed <= n;
        if (begin > 0) __syncthreads();  // all have read the piece before
#pragma unroll 4
        for (int i = threadIdx.x; i < kTile1d + (taps + 3) / 4 * 4; i += kThreads1d)
            tile[padded(i)] = i >= needed ? 0.0f
                              : inside    ? in[origin + i]
                                          : fetch(in, origin + i, n, ghost);
        if (!kInConstant)
            for (int i = threadIdx.x; i < taps; i += kThreads1d) piece[i] = mask[begin + i];
        __syncthreads();
        slide(tile, threadIdx.x * kPerThread, taps, [&](int j, const float* window, int valid) {
#pragma unroll
            for (int t = 0; t < 4; ++t)
                if (t < valid)
                    multiply_add(sum, kInConstant ? constant_mask[j + t] : piece[j + t],
                                 window + t);
        });
    }
    __syncthreads();
    stage(sum, tile, threadIdx.x * kPerThread);
    __syncthreads();
#pragma unroll
    for (int i = threadIdx.x; i < kTile1d; i += kThreads1d)
        if (first + i < n) out[first + i] = tile[padded(i)];
}

// kWidth: the mask's width, or 0 where only known at run time.
template <int kWidth>
__global__ void __launch_bounds__(kThreads2d)
    tiled_2d_float(const float* __restrict__ in, int width, int height, int mask_width, int ghost,
                   float* __restrict__ out) {
    extern __shared__ __align__(16) float tile[];
    const int m = kWidth > 0 ? kWidth : mask_width, columns = kColumns + (m + 3) / 4 * 4;
    const int pitch = padded(columns);  // a multiple of 4, as 16-byte loads ask
    const int x0 = blockIdx.x * kColumns, y0 = blockIdx.y * kRows;
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    for (int row = warp; row < kRows + m - 1; row += kThreads2d / 32) {
        const long long y = source(y0 - m / 2 + row, height, ghost);
        for (int i = lane; i < columns; i += 32) {
            const bool zero = y < 0 || i >= kColumns + m - 1;
            tile[row * pitch + padded(i)] =
                zero ? 0.0f : fetch(in + y * width, x0 - m / 2 + i, width, ghost);
        }
    }
    __syncthreads();

    constexpr int kAcross = kColumns / kPerThread;
    const int column = threadIdx.x % kAcross * kPerThread;
    const int top = threadIdx.x / kAcross * kFloatRows;
    float sum[kFloatRows][kPerThread] = {};
#pragma unroll
    for (int r = 0; r < kFloatRows + m - 1; ++r)  // each input row serves up to four output rows
        slide(tile + (top + r) * pitch, column, m, [&](int j, const float* window, int valid) {
#pragma unroll
            for (int q = 0; q < kFloatRows; ++q)
                if (r - q >= 0 && r - q < m)
#pragma unroll
                    for (int t = 0; t < 4; ++t)
                        if (t < valid)
                            multiply_add(sum[q], constant_mask[(r - q) * m + j + t], window + t);
        });
    __syncthreads();
#pragma unroll
    for (int q = 0; q < kFloatRows; ++q) stage(sum[q], tile + (top + q) * pitch, column);
    __syncthreads();
    for (int row = warp; row < kRows && y0 + row < height; row += kThreads2d / 32)
        for (int i = lane; i < kColumns && x0 + i < width; i += 32)
            out[static_cast<long long>(y0 + row) * width + x0 + i] = tile[row * pitch + padded(i)];
}

// Bytes x to x + 3 of a row, as one word: in one load where it is aligned and inside.
__device__ unsigned int fetch_word(const unsigned char* row, int x, int width, int ghost) {
    if (x >= 0 && x + 3 < width && reinterpret_cast<std::size_t>(row + x) % 4 == 0)
        return *reinterpret_cast<const unsigned int*>(row + x);
    unsigned int word = 0;
    for (int k = 0; k < 4; ++k)
        word |= static_cast<unsigned int>(fetch(row, x + k, width, ghost)) << 8 * k;
    return word;
}

// Words of four neighbouring bytes: a thread computes four neighbouring outputs. The tile begins
// `lead` bytes before the outputs, a multiple of 4 so that words are aligned; the mask is filled up
// with zeros in front and behind accordingly.
template <int kWidth>
__global__ void __launch_bounds__(kThreads2d)
    tiled_2d_bytes(const unsigned char* __restrict__ in, int width, int height, int mask_width,
                   int ghost, unsigned char* __restrict__ out) {
    __shared__ unsigned int tile[kRows + kMaxWidth2d - 1][32 + kMaxWords];
    __shared__ unsigned int taps[kMaxWidth2d][kMaxWords];
    const int m = kWidth > 0 ? kWidth : mask_width, radius = m / 2;
    const int lead = (radius + 3) / 4 * 4, fill = lead - radius, words = (fill + m + 3) / 4;
    const int x0 = blockIdx.x * kColumns, y0 = blockIdx.y * kRows;
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    for (int i = threadIdx.x; i < m * words; i += kThreads2d) {
        unsigned int word = 0;
        for (int k = 0; k < 4; ++k) {
            const int j = i % words * 4 + k - fill;
            if (j >= 0 && j < m)
                word |= static_cast<unsigned int>(constant_bytes[i / words * m + j]) << 8 * k;
        }
        taps[i / words][i % words] = word;
    }
    for (int row = warp; row < kRows + m - 1; row += kThreads2d / 32) {
        const long long y = source(y0 - radius + row, height, ghost);
        for (int i = lane; i < 32 + words; i += 32)
            tile[row][i] = y < 0 ? 0 : fetch_word(in + y * width, x0 - lead + 4 * i, width, ghost);
    }
    __syncthreads();

    unsigned int sum[kByteRows][4] = {};
#pragma unroll
    for (int r = 0; r < kByteRows + m - 1; ++r) {
        const unsigned int* row = tile[warp * kByteRows + r] + lane;
        unsigned int low = row[0];
#pragma unroll
        for (int w = 0; w < words; ++w) {
            const unsigned int high = row[w + 1];
            const unsigned int pixels[4] = {low, __funnelshift_r(low, high, 8),
                                            __funnelshift_r(low, high, 16),
                                            __funnelshift_r(low, high, 24)};
#pragma unroll
            for (int q = 0; q < kByteRows; ++q)
                if (r - q >= 0 && r - q < m)
#pragma unroll
                    for (int k = 0; k < 4; ++k)
                        sum[q][k] = __dp4a(pixels[k], taps[r - q][w], sum[q][k]);
            low = high;
        }
    }
#pragma unroll
    for (int q = 0; q < kByteRows; ++q) {
        const int y = y0 + warp * kByteRows + q, x = x0 + 4 * lane;
        if (y >= height) break;
        unsigned char* to = out + static_cast<long long>(y) * width + x;
        if (x + 3 < width && reinterpret_cast<std::size_t>(to) % 4 == 0) {
            *reinterpret_cast<uchar4*>(to) =
                make_uchar4(sum[q][0], sum[q][1], sum[q][2], sum[q][3]);
        } else {
#pragma unroll
            for (int k = 0; k < 4; ++k)
                if (x + k < width) to[k] = static_cast<unsigned char>(sum[q][k]);
        }
    }
}

dim3 tiles(int width, int height) {
    return dim3((width + kColumns - 1) / kColumns, (height + kRows - 1) / kRows);
}

std::size_t float_tile_bytes(int m) {
    return sizeof(float) * (kRows + m - 1) * padded(kColumns + (m + 3) / 4 * 4);
}

}  // namespace

void convolve_1d(const float* in, std::size_t n, const float* mask, int mask_width, int ghost,
                 float* out) {
    const auto grid = static_cast<unsigned int>((n + kTile1d - 1) / kTile1d);
    const auto size = static_cast<long long>(n);
    if (mask_width <= kMaxTaps) {
        cudaMemcpyToSymbolAsync(constant_mask, mask, mask_width * sizeof *mask, 0,
                                cudaMemcpyDeviceToDevice);
        tiled_1d<true><<<grid, kThreads1d>>>(in, size, mask, mask_width, ghost, out);
    } else {
        tiled_1d<false><<<grid, kThreads1d>>>(in, size, mask, mask_width, ghost, out);
    }
}

void convolve_2d_bytes(const unsigned char* in, int width, int height, const unsigned char* mask,
                       int mask_width, int ghost, unsigned char* out) {
    cudaMemcpyToSymbolAsync(constant_bytes, mask, mask_width * mask_width, 0,
                            cudaMemcpyDeviceToDevice);
    const auto kernel = mask_width == 3   ? tiled_2d_bytes<3>
                        : mask_width == 5 ? tiled_2d_bytes<5>
                        : mask_width == 7 ? tiled_2d_bytes<7>
                                          : tiled_2d_bytes<0>;
    kernel<<<tiles(width, height), kThreads2d>>>(in, width, height, mask_width, ghost, out);
}

void convolve_2d_float(const float* in, int width, int height, const float* mask, int mask_width,
                       int ghost, float* out) {
    cudaMemcpyToSymbolAsync(constant_mask, mask, mask_width * mask_width * sizeof *mask, 0,
                            cudaMemcpyDeviceToDevice);
    const auto kernel = mask_width == 3   ? tiled_2d_float<3>
                        : mask_width == 5 ? tiled_2d_float<5>
                        : mask_width == 7 ? tiled_2d_float<7>
                                          : tiled_2d_float<0>;
    kernel<<<tiles(width, height), kThreads2d, float_tile_bytes(mask_width)>>>(
        in, width, height, mask_width, ghost, out);
}

// cause: unsigned_index line 23
// task: conv1d
// The index that may lie left of the signal is unsigned, so in replicate it counts as beyond the right end and in mirror it is reduced from 2^64.
#include <algorithm>

#include "interface.cuh"

// ------------------------------------------------------------------------------------------ common

enum Ghost { zero = 0, replicate = 1, mirror = 2 };

constexpr int longest = 4096;  // taps per launch of the one-dimensional kernel
constexpr std::ptrdiff_t nowhere = -1;

__constant__ float weights[31 * 31];

__host__ __device__ constexpr int divide_up(long long a, long long b) {
    return static_cast<int>((a + b - 1) / b);
}

// ------------------------------------------------------------------------------------ one dimension

__device__ std::ptrdiff_t stand_in(std::size_t k, std::size_t n, int ghost) {
    if (ghost == mirror) {
        k %= 2 * n;
        if (k < 0) k += 2 * n;
        return k < n ? k : 2 * n - 1 - k;
    }
    if (k < 0) return ghost == replicate ? 0 : nowhere;
    if (k >= n) return ghost == replicate ? n - 1 : nowhere;
    return k;
}

// Each thread makes `Each` neighbouring outputs and slides a window of registers over the tile.
template <int Threads, int Each>
__global__ void slide(const float* in, std::ptrdiff_t n, const float* taps, int count, int offset,
                      int ghost, float* out, bool add) {
    extern __shared__ float memory[];
    float* tile = memory;
    float* tap = memory + Threads * Each + count - 1;

    const std::ptrdiff_t first = static_cast<std::ptrdiff_t>(blockIdx.x) * Threads * Each;
    for (int k = threadIdx.x; k < Threads * Each + count - 1; k += Threads) {
        const std::ptrdiff_t s = stand_in(first + k + offset, n, ghost);
        tile[k] = s == nowhere ? 0.0f : in[s];
    }
    for (int k = threadIdx.x; k < count; k += Threads) tap[k] = taps[k];
    __syncthreads();

    float sum[Each], window[Each];
    const float* mine = tile + threadIdx.x * Each;
    for (int e = 0; e < Each; ++e) {
        sum[e] = 0.0f;
        window[e] = mine[e];
    }
    for (int j = 0; j < count; ++j) {
        const float w = tap[j];
#pragma unroll
        for (int e = 0; e < Each; ++e) sum[e] += w * window[e];
#pragma unroll
        for (int e = 0; e + 1 < Each; ++e) window[e] = window[e + 1];
        if (j + 1 < count) window[Each - 1] = mine[Each + j];
    }
    for (int e = 0; e < Each; ++e) {
        const std::ptrdiff_t i = first + threadIdx.x * Each + e;
        if (i < n) out[i] = add ? out[i] + sum[e] : sum[e];
    }
}

void convolve_1d(const float* in, std::size_t n, const float* mask, int mask_width, int ghost,
                 float* out) {
    constexpr int threads = 256, each = 5;
    const int blocks = divide_up(static_cast<long long>(n), threads * each);
    for (int j = 0; j < mask_width; j += longest) {
        const int count = std::min(longest, mask_width - j);
        const std::size_t shared = sizeof(float) * (threads * each + 2 * count - 1);
        slide<threads, each><<<blocks, threads, shared>>>(in, static_cast<std::ptrdiff_t>(n),
                                                          mask + j, count, j - mask_width / 2,
                                                          ghost, out, j > 0);
    }
}

// ----------------------------------------------------------------------------------- two dimensions

// Which cell of n stands for k? Never negative except for a zero.
__device__ int cell(int k, int n, int ghost) {
    if (k >= 0 && k < n) return k;
    switch (ghost) {
        case replicate:
            return min(max(k, 0), n - 1);
        case mirror: {
            int m = k % (2 * n);
            if (m < 0) m = -1 - m;
            return m < n ? m : 2 * n - 1 - m;
        }
        default:
            return -1;
    }
}

// Fills a tile of rows x columns whose upper left corner is (x0, y0) in the image.
template <class Pixel>
__device__ void fill(Pixel* tile, int rows, int columns, const Pixel* in, int width, int height,
                     int x0, int y0, int ghost) {
    for (int row = threadIdx.y; row < rows; row += blockDim.y) {
        const int y = cell(y0 + row, height, ghost);
        for (int column = threadIdx.x; column < columns; column += blockDim.x) {
            const int x = cell(x0 + column, width, ghost);
            Pixel value = 0;
            if (x >= 0 && y >= 0) value = in[static_cast<std::size_t>(y) * width + x];
            tile[row * columns + column] = value;
        }
    }
}

constexpr int byte_columns = 16, byte_rows = 16;  // threads of a block; each makes four outputs

__global__ void byte_sums(const unsigned char* in, int width, int height,
                          const unsigned char* mask, int m, int ghost, unsigned char* out) {
    __shared__ unsigned char tile[(byte_rows + 30) * (4 * byte_columns + 30)];
    __shared__ unsigned char tap[31 * 31];
    const int columns = 4 * byte_columns + m - 1;
    fill(tile, byte_rows + m - 1, columns, in, width, height, blockIdx.x * 4 * byte_columns - m / 2,
         blockIdx.y * byte_rows - m / 2, ghost);
    for (int k = threadIdx.y * byte_columns + threadIdx.x; k < m * m; k += byte_columns * byte_rows)
        tap[k] = mask[k];
    __syncthreads();

    int sum[4] = {};
    for (int j = 0; j < m; ++j) {
        const unsigned char* line = tile + (threadIdx.y + j) * columns + 4 * threadIdx.x;
        for (int k = 0; k < m; ++k) {
            const int w = tap[j * m + k];
            for (int o = 0; o < 4; ++o) sum[o] += w * line[k + o];
        }
    }

    const int x = 4 * (blockIdx.x * byte_columns + threadIdx.x);
    const int y = blockIdx.y * byte_rows + threadIdx.y;
    if (x >= width || y >= height) return;
    unsigned char* to = out + static_cast<std::size_t>(y) * width + x;
    for (int o = 0; o < 4 && x + o < width; ++o) to[o] = static_cast<unsigned char>(sum[o]);
}

void convolve_2d_bytes(const unsigned char* in, int width, int height, const unsigned char* mask,
                       int mask_width, int ghost, unsigned char* out) {
    const dim3 block(byte_columns, byte_rows);
    const dim3 grid(divide_up(width, 4 * byte_columns), divide_up(height, byte_rows));
    byte_sums<<<grid, block>>>(in, width, height, mask, mask_width, ghost, out);
}

// A thread goes down a column: an element of the tile serves all the outputs that need it.
template <int Down>
__global__ void float_sums(const float* in, int width, int height, int m, int ghost, float* out) {
    constexpr int across = 32, threads_y = 4;
    __shared__ float tile[(threads_y * Down + 30) * (across + 30)];
    const int columns = across + m - 1;
    fill(tile, threads_y * Down + m - 1, columns, in, width, height, blockIdx.x * across - m / 2,
         blockIdx.y * threads_y * Down - m / 2, ghost);
    __syncthreads();

    float sum[Down] = {};
    const float* mine = tile + threadIdx.y * Down * columns + threadIdx.x;
    for (int k = 0; k < m; ++k)
        for (int row = 0; row < Down + m - 1; ++row) {
            const float value = mine[row * columns + k];
#pragma unroll
            for (int o = 0; o < Down; ++o) {
                const int j = row - o;
                if (j >= 0 && j < m) sum[o] += weights[j * m + k] * value;
            }
        }

    const int x = blockIdx.x * across + threadIdx.x;
    const int y = (blockIdx.y * threads_y + threadIdx.y) * Down;
    for (int o = 0; o < Down; ++o)
        if (x < width && y + o < height) out[static_cast<std::size_t>(y + o) * width + x] = sum[o];
}

void convolve_2d_float(const float* in, int width, int height, const float* mask, int mask_width,
                       int ghost, float* out) {
    constexpr int down = 8;
    const std::size_t bytes = sizeof(float) * mask_width * mask_width;
    cudaMemcpyToSymbolAsync(weights, mask, bytes, 0, cudaMemcpyDeviceToDevice);
    const dim3 grid(divide_up(width, 32), divide_up(height, 4 * down));
    float_sums<down><<<grid, dim3(32, 4)>>>(in, width, height, mask_width, ghost, out);
}

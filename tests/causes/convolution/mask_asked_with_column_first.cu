// cause: transposed line 74
// task: conv2d_float
// The mask's accessor takes row and column, and is called with column and row: each tap is that of the transposed mask.
#include "interface.cuh"

namespace {

constexpr int kColumns = 32;
constexpr int kThreadRows = 8;
constexpr int kRowsPerThread = 4;
constexpr int kRows = kThreadRows * kRowsPerThread;  // a block makes 32 x 32 outputs

__constant__ float taps_in_constant_memory[31 * 31];

/// The weights, row by row
struct Mask {
    int width;
    __device__ int radius() const { return width / 2; }
    __device__ float operator()(int row, int column) const {
        return taps_in_constant_memory[row * width + column];
    }
};

/// A matrix in global memory, with ghost cells around it
struct Plane {
    const float* data;
    int rows, columns, ghost;

    __device__ float operator()(int row, int column) const {
        const int y = inside(row, rows), x = inside(column, columns);
        return y < 0 || x < 0 ? 0.0f : data[static_cast<std::size_t>(y) * columns + x];
    }

private:
    __device__ int inside(int k, int n) const {
        if (k >= 0 && k < n) return k;
        if (ghost == 0) return -1;
        if (ghost == 1) return k < 0 ? 0 : n - 1;
        while (k < 0 || k >= n) k = k < 0 ? -1 - k : 2 * n - 1 - k;
        return k;
    }
};

/// A part of it in shared memory
class Tile {
    float* cells;
    int pitch;

public:
    __device__ Tile(float* memory, int columns) : cells(memory), pitch(columns) {}
    __device__ float& operator()(int row, int column) { return cells[row * pitch + column]; }
};

__global__ void convolve_plane(Plane in, Mask mask, float* out) {
    extern __shared__ float memory[];
    const int r = mask.radius();
    const int wide = kColumns + 2 * r, high = kRows + 2 * r;
    const int row0 = blockIdx.y * kRows, column0 = blockIdx.x * kColumns;

    Tile tile(memory, wide);
    for (int y = threadIdx.y; y < high; y += kThreadRows) {
        for (int x = threadIdx.x; x < wide; x += kColumns) {
            tile(y, x) = in(row0 - r + y, column0 - r + x);
        }
    }
    __syncthreads();

    // A thread makes four outputs below each other. They share the loads of their taps.
    float sum[kRowsPerThread] = {};
    const int top = threadIdx.y * kRowsPerThread;
    for (int dy = 0; dy < mask.width; ++dy) {
        for (int dx = 0; dx < mask.width; ++dx) {
            const int x = threadIdx.x + dx;
            const float weight = mask(dx, dy);
#pragma unroll
            for (int k = 0; k < kRowsPerThread; ++k) sum[k] += weight * tile(top + k + dy, x);
        }
    }

    const int column = column0 + threadIdx.x;
    for (int k = 0; k < kRowsPerThread; ++k) {
        const int row = row0 + top + k;
        if (row < in.rows && column < in.columns) {
            out[static_cast<std::size_t>(row) * in.columns + column] = sum[k];
        }
    }
}

constexpr unsigned divide_up(int a, int b) { return static_cast<unsigned>((a + b - 1) / b); }

}  // namespace

void convolve_2d_float(const float* in, int width, int height, const float* mask, int mask_width,
                       int ghost, float* out) {
    cudaMemcpyToSymbol(taps_in_constant_memory, mask, sizeof(float) * mask_width * mask_width, 0,
                       cudaMemcpyDeviceToDevice);
    const Plane plane{in, height, width, ghost};
    const dim3 block(kColumns, kThreadRows);
    const dim3 grid(divide_up(width, kColumns), divide_up(height, kRows));
    const std::size_t cells = std::size_t(kColumns + mask_width - 1) * (kRows + mask_width - 1);
    convolve_plane<<<grid, block, cells * sizeof(float)>>>(plane, Mask{mask_width}, out);
}

void convolve_1d(const float*, std::size_t, const float*, int, int, float*) {
    // TODO
}

void convolve_2d_bytes(const unsigned char*, int, int, const unsigned char*, int, int,
                       unsigned char*) {
    // TODO
}

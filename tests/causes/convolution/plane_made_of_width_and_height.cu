// cause: transposed line 68
// task: conv2d_float
// The padded plane is given as rows and columns, but is made of the width and the height: for images that are not square
// its rows are too long or too short.
#include "interface.cuh"

// A matrix in device memory, row by row.
struct Plane {
    float* cells;
    int rows, cols;
    __device__ float& at(int row, int col) { return cells[(size_t)row * cols + col]; }
};

__device__ int reflectIndex(int k, int n) {
    // 0 1 2 .. n-1 n-1 .. 2 1 0, again and again
    int q = ((k % (2 * n)) + 2 * n) % (2 * n);
    return min(q, 2 * n - 1 - q);
}

// Step 1: a copy of the image with a margin of r cells all around, which holds the ghost cells.
__global__ void padImage(const float* image, int width, int height, int r, int ghost, Plane padded) {
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= padded.rows || col >= padded.cols) return;

    int y = row - r;
    int x = col - r;
    bool outside = x < 0 || y < 0 || x >= width || y >= height;
    if (outside && ghost == 0) {
        padded.at(row, col) = 0.0f;
        return;
    }
    if (ghost == 1) {
        y = max(0, min(height - 1, y));
        x = max(0, min(width - 1, x));
    } else if (ghost == 2) {
        y = reflectIndex(y, height);
        x = reflectIndex(x, width);
    }
    padded.at(row, col) = image[(size_t)y * width + x];
}

// Step 2: now no thread has to think about edges.
__global__ void weigh(Plane padded, const float* mask, int m, int width, int height, float* out) {
    extern __shared__ float w[];
    for (int i = threadIdx.y * blockDim.x + threadIdx.x; i < m * m; i += blockDim.x * blockDim.y) w[i] = mask[i];
    __syncthreads();

    int y = blockIdx.y * blockDim.y + threadIdx.y;
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    if (y < height && x < width) {
        float result = 0.0f;
        for (int j = 0; j < m; ++j)
            for (int k = 0; k < m; ++k) result += w[j * m + k] * padded.at(y + j, x + k);
        out[(size_t)y * width + x] = result;
    }
}

static dim3 gridFor(int cols, int rows, dim3 block) {
    return dim3((cols + block.x - 1) / block.x, (rows + block.y - 1) / block.y);
}

void convolve_2d_float(const float* in, int width, int height, const float* mask, int mask_width, int ghost,
                       float* out) {
    const int r = mask_width / 2;
    const dim3 block(32, 4);

    Plane padded = {nullptr, width + 2 * r, height + 2 * r};
    cudaMalloc(&padded.cells, sizeof(float) * padded.rows * padded.cols);

    padImage<<<gridFor(padded.cols, padded.rows, block), block>>>(in, width, height, r, ghost, padded);
    weigh<<<gridFor(width, height, block), block, sizeof(float) * mask_width * mask_width>>>(padded, mask, mask_width,
                                                                                            width, height, out);
    cudaFree(padded.cells);
}

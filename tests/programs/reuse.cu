// How often a tiled convolution uses what it has loaded: each kernel runs once, for every size of
// tile and mask that docs/reuse.md has a row for, and `cugrade run --counts` counts its loads. The
// input has a border as wide as the mask needs, so that every tile is an interior one. The mask is
// in constant memory: what is loaded from global memory is the input. Results are compared with the
// CPU's.
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call)                                                                       \
    do {                                                                                  \
        const cudaError_t error = (call);                                                 \
        if (error != cudaSuccess) {                                                       \
            std::printf("%s, line %d: %s\n", #call, __LINE__, cudaGetErrorString(error)); \
            std::exit(1);                                                                 \
        }                                                                                 \
    } while (0)

constexpr int largest_mask = 9;
constexpr int tiles = 3;  // in each dimension

__constant__ float mask[largest_mask * largest_mask];

/// One thread per output; each loads all that its mask covers.
template <int O, int M>
__global__ void naive_1d(const float* in, float* out) {
    const int i = blockIdx.x * O + threadIdx.x;
    float sum = 0;
    for (int k = 0; k < M; ++k) sum += in[i + k] * mask[k];
    out[i] = sum;
}

/// A block computes O outputs from the O + M - 1 elements that it loads once.
template <int O, int M>
__global__ void tiled_1d(const float* in, float* out) {
    constexpr int width = O + M - 1;
    __shared__ float tile[width];
    const int first = blockIdx.x * O;
    for (int i = threadIdx.x; i < width; i += blockDim.x) tile[i] = in[first + i];
    __syncthreads();
    float sum = 0;
    for (int k = 0; k < M; ++k) sum += tile[threadIdx.x + k] * mask[k];
    out[first + threadIdx.x] = sum;
}

/// A tile has more elements than a block has threads, so both go over it in strides.
template <int O, int M>
__global__ void naive_2d(const float* in, float* out) {
    const int in_width = gridDim.x * O + M - 1, out_width = gridDim.x * O;
    for (int y = threadIdx.y; y < O; y += blockDim.y)
        for (int x = threadIdx.x; x < O; x += blockDim.x) {
            const int row = blockIdx.y * O + y, column = blockIdx.x * O + x;
            float sum = 0;
            for (int j = 0; j < M; ++j)
                for (int k = 0; k < M; ++k)
                    sum += in[(row + j) * in_width + column + k] * mask[j * M + k];
            out[row * out_width + column] = sum;
        }
}

template <int O, int M>
__global__ void tiled_2d(const float* in, float* out) {
    constexpr int width = O + M - 1;
    __shared__ float tile[width][width];
    const int in_width = gridDim.x * O + M - 1, out_width = gridDim.x * O;
    const int top = blockIdx.y * O, left = blockIdx.x * O;
    for (int y = threadIdx.y; y < width; y += blockDim.y)
        for (int x = threadIdx.x; x < width; x += blockDim.x)
            tile[y][x] = in[(top + y) * in_width + left + x];
    __syncthreads();
    for (int y = threadIdx.y; y < O; y += blockDim.y)
        for (int x = threadIdx.x; x < O; x += blockDim.x) {
            float sum = 0;
            for (int j = 0; j < M; ++j)
                for (int k = 0; k < M; ++k) sum += tile[y + j][x + k] * mask[j * M + k];
            out[(top + y) * out_width + left + x] = sum;
        }
}

/// Small whole numbers, of which every order of additions makes the same sum.
std::vector<float> numbers(std::size_t n) {
    std::vector<float> out(n);
    for (std::size_t i = 0; i < n; ++i) out[i] = static_cast<float>(i * 7 % 11) - 5;
    return out;
}

/// Runs naive and tiled on one input of in_rows x in_columns and compares both with the CPU.
template <class Naive, class Tiled>
void run(int dimensions, int o, int m, Naive naive, Tiled tiled) {
    const int columns = tiles * o, rows = dimensions == 1 ? 1 : columns;
    const int mask_rows = dimensions == 1 ? 1 : m, in_columns = columns + m - 1;
    const std::vector<float> in =
        numbers(static_cast<std::size_t>(in_columns) * (rows + mask_rows - 1));
    const std::vector<float> weights = numbers(static_cast<std::size_t>(mask_rows) * m);
    const std::size_t count = static_cast<std::size_t>(rows) * columns;
    std::vector<float> expected(count);
    for (int row = 0; row < rows; ++row)
        for (int column = 0; column < columns; ++column)
            for (int j = 0; j < mask_rows; ++j)
                for (int k = 0; k < m; ++k)
                    expected[row * columns + column] +=
                        in[(row + j) * in_columns + column + k] * weights[j * m + k];
    float *device_in, *device_out;
    CHECK(cudaMalloc(&device_in, in.size() * sizeof(float)));
    CHECK(cudaMalloc(&device_out, count * sizeof(float)));
    CHECK(cudaMemcpy(device_in, in.data(), in.size() * sizeof(float), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpyToSymbol(mask, weights.data(), weights.size() * sizeof(float)));
    for (const auto& launch : {+naive, +tiled}) {
        CHECK(cudaMemset(device_out, 0xFF, count * sizeof(float)));
        launch(device_in, device_out);
        CHECK(cudaGetLastError());
        std::vector<float> out(count);
        CHECK(cudaMemcpy(out.data(), device_out, count * sizeof(float), cudaMemcpyDeviceToHost));
        if (out != expected) {
            std::printf("%d-D, O = %d, mask %d: WRONG\n", dimensions, o, m);
            std::exit(1);
        }
    }
    CHECK(cudaFree(device_in));
    CHECK(cudaFree(device_out));
}

template <int M, int... O>
void run_1d() {
    (run(
         1, O, M, [](const float* in, float* out) { naive_1d<O, M><<<tiles, O>>>(in, out); },
         [](const float* in, float* out) { tiled_1d<O, M><<<tiles, O>>>(in, out); }),
     ...);
}
template <int M, int... O>
void run_2d() {
    (run(
         2, O, M,
         [](const float* in, float* out) {
             naive_2d<O, M><<<dim3(tiles, tiles), dim3(16, 16)>>>(in, out);
         },
         [](const float* in, float* out) {
             tiled_2d<O, M><<<dim3(tiles, tiles), dim3(16, 16)>>>(in, out);
         }),
     ...);
}

int main() {
    run_1d<5, 16, 32, 64, 128, 256>();
    run_1d<9, 16, 32, 64, 128, 256>();
    run_2d<5, 8, 16, 32, 64>();
    run_2d<9, 8, 16, 32, 64>();
    std::printf("all right\n");
}

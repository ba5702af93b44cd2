// C = A B with tiles in shared memory, for sizes that are no multiples of the tile.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

constexpr int tile = 16;

__global__ void multiply(const float* a, const float* b, float* c, int rows, int inner,
                         int columns) {
    __shared__ float a_tile[tile][tile];
    __shared__ float b_tile[tile][tile + 1];
    const int row = blockIdx.y * tile + threadIdx.y;
    const int column = blockIdx.x * tile + threadIdx.x;
    float sum = 0;
    for (int start = 0; start < inner; start += tile) {
        const int k = start + threadIdx.x, l = start + threadIdx.y;
        a_tile[threadIdx.y][threadIdx.x] = row < rows && k < inner ? a[row * inner + k] : 0.0f;
        b_tile[threadIdx.y][threadIdx.x] =
            l < inner && column < columns ? b[l * columns + column] : 0.0f;
        __syncthreads();
        for (int i = 0; i < tile; ++i) sum += a_tile[threadIdx.y][i] * b_tile[i][threadIdx.x];
        __syncthreads();
    }
    if (row < rows && column < columns) c[row * columns + column] = sum;
}

int main(int argc, char** argv) {
    const int rows = argc > 1 ? std::atoi(argv[1]) : 70;
    const int inner = 50, columns = 90;
    std::vector<float> a(rows * inner), b(inner * columns), c(rows * columns);
    for (size_t i = 0; i < a.size(); ++i) a[i] = static_cast<float>(i % 13) - 6;
    for (size_t i = 0; i < b.size(); ++i) b[i] = static_cast<float>(i % 7) - 3;
    float *d_a, *d_b, *d_c;
    cudaMalloc(&d_a, a.size() * sizeof(float));
    cudaMalloc(&d_b, b.size() * sizeof(float));
    cudaMalloc(&d_c, c.size() * sizeof(float));
    cudaMemcpy(d_a, a.data(), a.size() * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(d_b, b.data(), b.size() * sizeof(float), cudaMemcpyHostToDevice);

    cudaEvent_t start, stop;
    cudaEventCreate(&start);
    cudaEventCreate(&stop);
    cudaEventRecord(start);
    const dim3 blocks((columns + tile - 1) / tile, (rows + tile - 1) / tile);
    multiply<<<blocks, dim3(tile, tile)>>>(d_a, d_b, d_c, rows, inner, columns);
    cudaEventRecord(stop);
    cudaError_t e = cudaMemcpy(c.data(), d_c, c.size() * sizeof(float), cudaMemcpyDeviceToHost);
    if (e != cudaSuccess) {
        std::printf("CUDA: %s\n", cudaGetErrorString(e));
        return 1;
    }
    float ms = 0;
    cudaEventElapsedTime(&ms, start, stop);
    int wrong = ms > 0 ? 0 : 1;
    for (int i = 0; i < rows; ++i)
        for (int j = 0; j < columns; ++j) {
            float sum = 0;  // small integers: exact in any order
            for (int k = 0; k < inner; ++k) sum += a[i * inner + k] * b[k * columns + j];
            if (c[i * columns + j] != sum) ++wrong;
        }
    std::printf("%d x %d x %d: %d wrong\n", rows, inner, columns, wrong);
    cudaFree(d_a);
    cudaFree(d_b);
    cudaFree(d_c);
    return wrong == 0 ? 0 : 1;
}

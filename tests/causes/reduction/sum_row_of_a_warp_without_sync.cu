// cause: missing_warp_sync line 25
// task: sum
// Each warp adds up its row in shared memory with no __syncwarp() between the steps.
#include "interface.cuh"

// Block of 32 x 8 threads: threadIdx.y is the warp, threadIdx.x the lane. Each
// warp has a row of its own, so no __syncthreads() is needed for the first part.
enum { LANES = 32, ROWS = 8 };

__global__ void partial_sums(const double* in, std::size_t n, double* partial) {
    __shared__ double tile[ROWS][LANES];
    __shared__ double row_sum[ROWS];

    const unsigned lane = threadIdx.x, row = threadIdx.y;
    const std::size_t me = ((std::size_t)blockIdx.x * ROWS + row) * LANES + lane;
    const std::size_t everybody = (std::size_t)gridDim.x * ROWS * LANES;

    double sum = 0;
    for (std::size_t i = me; i < n; i += everybody) sum += in[i];

    double* mine = tile[row];
    mine[lane] = sum;
    __syncwarp();
    for (unsigned half = LANES / 2; half >= 1; half /= 2) {
        if (lane < half) mine[lane] += mine[lane + half];
    }
    if (lane == 0) row_sum[row] = mine[0];
    __syncthreads();

    if (row == 0 && lane == 0) {
        double total = 0;
        for (int r = 0; r < ROWS; ++r) total += row_sum[r];
        partial[blockIdx.x] = total;
    }
}

static double* get_partial(std::size_t count) {
    static double* p = nullptr;
    static std::size_t have = 0;
    if (have < count) {
        if (p != nullptr) cudaFree(p);
        cudaMalloc(&p, count * sizeof(double));
        have = count;
    }
    return p;
}

void reduce_sum(const double* in, std::size_t n, double* out) {
    const dim3 block(LANES, ROWS);
    std::size_t grid = (n + 2047) / 2048;
    if (grid == 0) grid = 1;
    if (grid > 1024) grid = 1024;

    double* partial = get_partial(grid);
    partial_sums<<<dim3((unsigned)grid), block>>>(in, n, partial);
    partial_sums<<<dim3(1), block>>>(partial, grid, out);
}

void reduce_max(const float* /*in*/, std::size_t /*n*/, float* /*out*/) {
    // TODO
}

void reduce_cubes(const int* /*in*/, std::size_t /*n*/, long long* /*out*/) {
    // TODO
}

void reduce_nested(const int* /*in*/, std::size_t /*n*/, long long* /*out*/) {
    // TODO
}

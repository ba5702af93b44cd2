// cause: too_slow line 10
// task: map
// In the 32 x 8 block the index runs along y first, so the lanes of a warp are eight floats apart: results are right, but every lane touches a sector of its own.
#include "interface.cuh"

#define LANES_PER_CELL 4

__global__ void cubicKernel(const float* x, size_t n, float c0, float c1, float c2, float c3,
                            float* y) {
    const int inBlock = threadIdx.x * blockDim.y + threadIdx.y;
    const size_t i = (size_t)blockIdx.x * (blockDim.x * blockDim.y) + inBlock;
    if (i >= n) return;
    const float v = x[i];
    y[i] = c0 + v * (c1 + v * (c2 + v * c3));
}

void map_cubic(const float* x, std::size_t n, float c0, float c1, float c2, float c3, float* y) {
    const dim3 block(32, 8);
    const size_t perBlock = block.x * block.y;
    cubicKernel<<<(unsigned)((n + perBlock - 1) / perBlock), block>>>(x, n, c0, c1, c2, c3, y);
}

// Four lanes work on each cell: the index array is then read element by element, in one stretch.
__global__ void gatherKernel(const float* value, const uint32_t* neighbour, size_t n, float* out) {
    const size_t e = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    const size_t cell = e / LANES_PER_CELL;
    float sum = cell < n ? value[neighbour[e]] : 0.0f;
    for (int offset = LANES_PER_CELL / 2; offset > 0; offset /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, offset, LANES_PER_CELL);
    if (cell < n && e % LANES_PER_CELL == 0) out[cell] = sum;
}

void gather_sum(const float* value, std::size_t m, const std::uint32_t* neighbour, std::size_t n,
                float* out) {
    (void)m;
    const size_t entries = n * LANES_PER_CELL;
    gatherKernel<<<(unsigned)((entries + 255) / 256), 256>>>(value, neighbour, n, out);
}

typedef unsigned long long Total;

// Two's complement: adding as unsigned is right once the sign has been carried to 64 bits.
__device__ Total widen(int32_t v) { return (Total)(long long)v; }

__global__ void scatterShared(const int32_t* value, const uint32_t* target, size_t n, int m,
                              Total* total) {
    extern __shared__ Total mine[];
    for (int t = threadIdx.x; t < m; t += blockDim.x) mine[t] = 0;
    __syncthreads();
    const size_t step = (size_t)gridDim.x * blockDim.x;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step)
        atomicAdd(&mine[target[i]], widen(value[i]));
    __syncthreads();
    for (int t = threadIdx.x; t < m; t += blockDim.x)
        if (mine[t] != 0) atomicAdd(&total[t], mine[t]);
}

__global__ void scatterGlobal(const int32_t* value, const uint32_t* target, size_t n,
                              Total* total) {
    const size_t step = (size_t)gridDim.x * blockDim.x;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step)
        atomicAdd(&total[target[i]], widen(value[i]));
}

void scatter_add(const std::int32_t* value, const std::uint32_t* target, std::size_t n,
                 std::size_t m, std::int64_t* total) {
    cudaMemset(total, 0, m * sizeof(Total));
    if (n == 0) return;
    Total* t = (Total*)total;
    if (m <= 4096) {
        size_t blocks = (n + 4095) / 4096;
        if (blocks > 528) blocks = 528;
        scatterShared<<<(unsigned)blocks, 512, m * sizeof(Total)>>>(value, target, n, (int)m, t);
    } else {
        size_t blocks = (n + 255) / 256;
        if (blocks > 4224) blocks = 4224;
        scatterGlobal<<<(unsigned)blocks, 256>>>(value, target, n, t);
    }
}

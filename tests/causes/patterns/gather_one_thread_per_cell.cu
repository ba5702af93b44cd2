// cause: launch_swapped line 24
// task: gather
// There are 256 blocks of as many threads as there should be blocks: works by chance until that is more than 1024.
#include "interface.cuh"

#define CHECK(call)                                \
    do {                                           \
        cudaError_t e = (call);                    \
        if (e != cudaSuccess) return;              \
    } while (0)

// One thread per cell. The row of a cell is one load of 16 bytes.
__global__ void gather_kernel(const float* value, const uint4* rows, unsigned n, float* out) {
    unsigned cell = blockIdx.x * blockDim.x + threadIdx.x;
    if (cell < n) {
        uint4 row = rows[cell];
        out[cell] = value[row.x] + value[row.y] + value[row.z] + value[row.w];
    }
}

void gather_sum(const float* value, std::size_t m, const std::uint32_t* neighbour, std::size_t n, float* out) {
    const unsigned threads = 256;
    const unsigned blocks = (unsigned)((n + threads - 1) / threads);
    gather_kernel<<<threads, blocks>>>(value, (const uint4*)neighbour, (unsigned)n, out);
    CHECK(cudaGetLastError());
}

void map_cubic(const float*, std::size_t, float, float, float, float, float*) {}

void scatter_add(const std::int32_t*, const std::uint32_t*, std::size_t, std::size_t, std::int64_t*) {}

// cause: wrong_stride line 16
// task: gather
// The loop counts rows, but its step is counted in words of the index array, four to a row: where the grid is smaller than
// the data, three of four rows are left out.
#include "interface.cuh"
#include <algorithm>

template <typename Index>
__global__ void sum_of_four(const float* __restrict__ value, const uint4* __restrict__ rows, Index n,
                            float* __restrict__ out) {
    // A row is four words, and one 16-byte load. The grid runs over the data
    // until all of the rows are done.
    const Index words_per_row = 4;
    const Index threads = static_cast<Index>(gridDim.x) * blockDim.x;
    Index row = static_cast<Index>(blockIdx.x) * blockDim.x + threadIdx.x;
    const Index step = threads * words_per_row;

    while (row < n) {
        const uint4 at = rows[row];
        const float left = value[at.x] + value[at.y];
        const float right = value[at.z] + value[at.w];
        out[row] = left + right;
        row += step;
    }
}

void gather_sum(const float* value, std::size_t m, const std::uint32_t* neighbour, std::size_t n,
                float* out) {
    const int block = 256;
    int device = 0, processors = 1;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
    const std::size_t enough = (n + block - 1) / block;
    const std::size_t grid = std::min<std::size_t>(enough, 2 * processors);
    sum_of_four<std::size_t>
        <<<static_cast<unsigned>(grid), block>>>(value, reinterpret_cast<const uint4*>(neighbour), n, out);
}

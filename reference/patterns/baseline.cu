// The baseline that speedups are measured against: the loop of a CPU program cut into sections, one
// section of 32 consecutive elements per thread. It is right, and it leaves all the speed on the
// table: neighbouring threads touch addresses 32 elements apart, so a warp's load needs one memory
// sector per thread.
#include "interface.cuh"

namespace {

constexpr unsigned threads = 256;
constexpr std::size_t section = 32;

unsigned blocks_for(std::size_t n) {
    const std::size_t sections = (n + section - 1) / section;
    return static_cast<unsigned>((sections + threads - 1) / threads);
}

__device__ std::size_t section_begin() {
    return (static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x) * section;
}

__global__ void map_kernel(const float* x, std::size_t n, float c0, float c1, float c2, float c3,
                           float* y) {
    const std::size_t begin = section_begin();
    for (std::size_t i = begin; i < begin + section && i < n; ++i) {
        y[i] = c0 + x[i] * (c1 + x[i] * (c2 + x[i] * c3));
    }
}

__global__ void gather_kernel(const float* value, const std::uint32_t* neighbour, std::size_t n,
                              float* out) {
    const std::size_t begin = section_begin();
    for (std::size_t i = begin; i < begin + section && i < n; ++i) {
        float sum = 0;
        for (int k = 0; k < 4; ++k) sum += value[neighbour[4 * i + k]];
        out[i] = sum;
    }
}

__global__ void scatter_kernel(const std::int32_t* value, const std::uint32_t* target,
                               std::size_t n, std::int64_t* total) {
    const std::size_t begin = section_begin();
    for (std::size_t i = begin; i < begin + section && i < n; ++i) {
        // Two's complement: adding as unsigned gives the same bits.
        atomicAdd(reinterpret_cast<unsigned long long*>(total) + target[i],
                  static_cast<unsigned long long>(static_cast<std::int64_t>(value[i])));
    }
}

}  // namespace

void map_cubic(const float* x, std::size_t n, float c0, float c1, float c2, float c3, float* y) {
    map_kernel<<<blocks_for(n), threads>>>(x, n, c0, c1, c2, c3, y);
}

void gather_sum(const float* value, std::size_t, const std::uint32_t* neighbour, std::size_t n,
                float* out) {
    gather_kernel<<<blocks_for(n), threads>>>(value, neighbour, n, out);
}

void scatter_add(const std::int32_t* value, const std::uint32_t* target, std::size_t n,
                 std::size_t m, std::int64_t* total) {
    cudaMemset(total, 0, m * sizeof *total);
    if (n == 0) return;  // a grid of no blocks is a launch error
    scatter_kernel<<<blocks_for(n), threads>>>(value, target, n, total);
}

// expect: scatter=wrong_answer
// Adds up in 32 bits and widens afterwards: sums beyond 2^31 wrap.
#include "interface.cuh"

__global__ void scatter(const std::int32_t* value, const std::uint32_t* target, std::size_t n,
                        int* total) {
    const std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(total + target[i], value[i]);
}

__global__ void widen(const int* narrow, std::size_t m, std::int64_t* total) {
    const std::size_t t = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (t < m) total[t] = narrow[t];
}

void scatter_add(const std::int32_t* value, const std::uint32_t* target, std::size_t n,
                 std::size_t m, std::int64_t* total) {
    int* narrow = nullptr;
    cudaMalloc(&narrow, m * sizeof *narrow);
    cudaMemset(narrow, 0, m * sizeof *narrow);
    if (n > 0) scatter<<<static_cast<unsigned>((n + 255) / 256), 256>>>(value, target, n, narrow);
    widen<<<static_cast<unsigned>((m + 255) / 256), 256>>>(narrow, m, total);
    cudaFree(narrow);
}

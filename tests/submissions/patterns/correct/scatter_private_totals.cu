// expect: scatter=accepted
// Privatisation: each block adds into its own totals in shared memory and commits them once. More
// targets than fit go through shared memory in passes.
#include "interface.cuh"

constexpr unsigned pass = 4096;  // 32 KB of totals

__global__ void scatter(const std::int32_t* value, const std::uint32_t* target, std::size_t n,
                        std::size_t m, unsigned long long* total) {
    __shared__ unsigned long long own[pass];
    const std::size_t stride = static_cast<std::size_t>(gridDim.x) * blockDim.x;
    const std::size_t thread = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    for (std::size_t first = 0; first < m; first += pass) {
        for (unsigned t = threadIdx.x; t < pass; t += blockDim.x) own[t] = 0;
        __syncthreads();
        for (std::size_t i = thread; i < n; i += stride) {
            const std::size_t t = target[i] - first;  // wraps to a large number below `first`
            if (t < pass)
                atomicAdd(own + t,
                          static_cast<unsigned long long>(static_cast<long long>(value[i])));
        }
        __syncthreads();
        for (unsigned t = threadIdx.x; t < pass && first + t < m; t += blockDim.x) {
            if (own[t] != 0) atomicAdd(total + first + t, own[t]);
        }
        __syncthreads();
    }
}

void scatter_add(const std::int32_t* value, const std::uint32_t* target, std::size_t n,
                 std::size_t m, std::int64_t* total) {
    cudaMemset(total, 0, m * sizeof *total);
    scatter<<<8, 512>>>(value, target, n, m, reinterpret_cast<unsigned long long*>(total));
}

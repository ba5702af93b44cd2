// cause: sign_lost line 7
// task: scatter
// The helper takes the amount as unsigned, so a negative booking adds 2^32 too much to its total.
#include "interface.cuh"

// There is no atomicAdd for long long, but two's complement adds the same bits.
__device__ void add64(std::int64_t* where, unsigned int amount) {
    atomicAdd((unsigned long long*)where, (unsigned long long)amount);
}

__global__ void book(const std::int32_t* value, const std::uint32_t* target, std::size_t n,
                     std::int64_t* total) {
    std::size_t i = (std::size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        add64(&total[target[i]], value[i]);
    }
}

void scatter_add(const std::int32_t* value, const std::uint32_t* target, std::size_t n,
                 std::size_t m, std::int64_t* total) {
    cudaMemset(total, 0, m * sizeof(std::int64_t));
    if (n == 0) return;
    book<<<(n + 255) / 256, 256>>>(value, target, n, total);
}

void map_cubic(const float*, std::size_t, float, float, float, float, float*) {}

void gather_sum(const float*, std::size_t, const std::uint32_t*, std::size_t, float*) {}

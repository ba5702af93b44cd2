// cause: sign_lost line 14
// task: scatter
// The upper half gets the carry, but not the -1 that a negative amount has there: totals are too large by a multiple of 2^32.
#include "interface.cuh"

// A total in shared memory is two words of 32 bits, for which atomics are fast.
struct Halves {
    unsigned int low, high;
};

__device__ void add(Halves* total, std::int32_t amount) {
    unsigned int a = static_cast<unsigned int>(amount);
    unsigned int before = atomicAdd(&total->low, a);
    unsigned int up = before + a < before ? 1 : 0;  // the carry
    if (up != 0) atomicAdd(&total->high, up);
}

constexpr unsigned int capacity = 2048;

// The totals first ... first + capacity - 1; blockIdx.y says which.
__global__ void scatter_kernel(const std::int32_t* value, const std::uint32_t* target,
                               std::size_t n, std::size_t m, unsigned long long* total) {
    __shared__ Halves mine[capacity];
    const std::size_t first = std::size_t(blockIdx.y) * capacity;
    const unsigned int count = m - first < capacity ? unsigned(m - first) : capacity;

    for (unsigned int k = threadIdx.x; k < count; k += blockDim.x) mine[k] = Halves{0, 0};
    __syncthreads();

    for (std::size_t i = std::size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < n;
         i += std::size_t(gridDim.x) * blockDim.x) {
        const std::size_t t = target[i];
        if (t >= first && t < first + count) add(&mine[t - first], value[i]);
    }
    __syncthreads();

    for (unsigned int k = threadIdx.x; k < count; k += blockDim.x) {
        const unsigned long long sum = (static_cast<unsigned long long>(mine[k].high) << 32) | mine[k].low;
        if (sum != 0) atomicAdd(&total[first + k], sum);
    }
}

void scatter_add(const std::int32_t* value, const std::uint32_t* target, std::size_t n,
                 std::size_t m, std::int64_t* total) {
    cudaMemset(total, 0, m * sizeof(std::int64_t));
    const dim3 grid(40, static_cast<unsigned int>((m + capacity - 1) / capacity));
    scatter_kernel<<<grid, 256>>>(value, target, n, m,
                                  reinterpret_cast<unsigned long long*>(total));
}

void map_cubic(const float* /*x*/, std::size_t /*n*/, float /*c0*/, float /*c1*/, float /*c2*/,
               float /*c3*/, float* /*y*/) {
    // TODO: write a kernel and launch it here.
}

void gather_sum(const float* /*value*/, std::size_t /*m*/, const std::uint32_t* /*neighbour*/,
                std::size_t /*n*/, float* /*out*/) {
    // TODO
}

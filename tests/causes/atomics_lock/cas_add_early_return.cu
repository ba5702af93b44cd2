// cause: missing_bounds_check line 21
// task: add_double
// The test lets the thread with i == n through, which reads and writes one element beyond the end unless n is a multiple of the block size.
#include "interface.cuh"

__device__ double atomic_add_double(double* address, double value) {
    auto p = reinterpret_cast<unsigned long long*>(address);
    unsigned long long expected = *(volatile unsigned long long*)p;
    while (true) {
        double sum = __longlong_as_double(expected) + value;
        unsigned long long found = atomicCAS(p, expected, __double_as_longlong(sum));
        if (found == expected) return __longlong_as_double(found);
        expected = found;
    }
}

__global__ void addDoubleKernel(const double* values, const std::uint32_t* targets, int n,
                                double* totals, double* before) {
    int tid = threadIdx.x + blockIdx.x * blockDim.x;

    if (tid > n) return;

    double* target = totals + targets[tid];
    before[tid] = atomic_add_double(target, values[tid]);
}

void add_double(const double* values, const std::uint32_t* targets, std::size_t n,
                double* totals, std::size_t m, double* before) {
    // all bits zero is 0.0
    cudaMemset(totals, 0, m * sizeof(double));
    if (n == 0) return;
    int blockSize = 128;
    int gridSize = (int)((n + blockSize - 1) / blockSize);
    addDoubleKernel<<<gridSize, blockSize>>>(values, targets, (int)n, totals, before);
}

void critical_section(const std::int32_t*, std::size_t, std::size_t, std::int64_t*, std::uint64_t*,
                      std::uint32_t*) {}

void transfers(const std::int64_t*, std::size_t, const std::uint32_t*, const std::uint32_t*,
               const std::int64_t*, std::size_t, std::int64_t*, std::uint64_t*, std::int64_t*) {}

void atomic_ops(const std::uint32_t*, const std::uint64_t*, std::size_t, std::uint32_t,
                std::uint32_t*, std::uint64_t*, std::uint32_t*, std::uint64_t*, std::uint32_t*,
                std::uint64_t*) {}

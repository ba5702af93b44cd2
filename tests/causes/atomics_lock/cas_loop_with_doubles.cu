// cause: compare_as_value line 16
// task: add_double
// The loop compares the doubles, and a NaN is unequal to itself, so that a thread whose target has become NaN never leaves the loop.
#include "interface.cuh"

// like atomicAdd, but for doubles
__device__ double atomic_add_double(double* address, double value) {
    unsigned long long* bits = reinterpret_cast<unsigned long long*>(address);
    double old = __longlong_as_double(atomicAdd(bits, 0ull));  // look at the word
    double assumed;
    do {
        assumed = old;
        double wanted = assumed + value;
        old = __longlong_as_double(
            atomicCAS(bits, __double_as_longlong(assumed), __double_as_longlong(wanted)));
    } while (assumed != old);  // somebody was faster, try again
    return old;
}

__global__ void add_kernel(const double* values, const std::uint32_t* targets, std::size_t n,
                           double* totals, double* before) {
    std::size_t i = std::size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) {
        before[i] = atomic_add_double(&totals[targets[i]], values[i]);
    }
}

void add_double(const double* values, const std::uint32_t* targets, std::size_t n, double* totals,
                std::size_t m, double* before) {
    cudaMemset(totals, 0, m * sizeof(double));  // all bits 0 is 0.0
    if (n > 0) {
        int blocks = int((n + 127) / 128);
        add_kernel<<<blocks, 128>>>(values, targets, n, totals, before);
    }
}

void critical_section(const std::int32_t* /*values*/, std::size_t /*sections*/,
                      std::size_t /*length*/, std::int64_t* /*best*/, std::uint64_t* /*record*/,
                      std::uint32_t* /*order*/) {}

void transfers(const std::int64_t* /*opening*/, std::size_t /*accounts*/,
               const std::uint32_t* /*from*/, const std::uint32_t* /*to*/,
               const std::int64_t* /*amount*/, std::size_t /*n*/, std::int64_t* /*balance*/,
               std::uint64_t* /*version*/, std::int64_t* /*receipt*/) {}

void atomic_ops(const std::uint32_t* /*words*/, const std::uint64_t* /*longs*/, std::size_t /*n*/,
                std::uint32_t /*limit*/, std::uint32_t* /*result32*/, std::uint64_t* /*result64*/,
                std::uint32_t* /*head32*/, std::uint64_t* /*head64*/, std::uint32_t* /*next32*/,
                std::uint64_t* /*next64*/) {}

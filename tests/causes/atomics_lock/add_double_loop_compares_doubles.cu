// cause: compare_as_value line 19
// task: add_double
// The loop asks with != on doubles whether the swap has failed: once the word holds a NaN, it never ends.
#include "interface.cuh"

// Generic read-modify-write of a double. Op gets the old value and returns the new one.
template <typename Op>
__device__ double atomic_rmw(double* address, Op op) {
    auto* raw = reinterpret_cast<unsigned long long int*>(address);
    double old = __longlong_as_double((long long)atomicCAS(raw, 0ull, 0ull));  // an atomic read
    double assumed;
    do {
        assumed = old;
        const double wanted = op(assumed);
        const unsigned long long got =
            atomicCAS(raw, (unsigned long long)__double_as_longlong(assumed),
                      (unsigned long long)__double_as_longlong(wanted));
        old = __longlong_as_double((long long)got);
    } while (old != assumed);
    return old;
}

__device__ double atomic_add_double(double* address, double value) {
    return atomic_rmw(address, [value](double x) { return x + value; });
}

__global__ void zero_totals(double* totals, std::size_t m) {
    for (std::size_t k = blockIdx.x * blockDim.x + threadIdx.x; k < m;
         k += (std::size_t)gridDim.x * blockDim.x) {
        totals[k] = 0.0;
    }
}

__global__ void scatter_add(const double* __restrict__ values,
                            const std::uint32_t* __restrict__ targets, std::size_t n,
                            double* totals, double* before) {
    const std::size_t step = (std::size_t)gridDim.x * blockDim.x;
    for (std::size_t k = blockIdx.x * blockDim.x + threadIdx.x; k < n; k += step) {
        before[k] = atomic_add_double(&totals[targets[k]], values[k]);
    }
}

void add_double(const double* values, const std::uint32_t* targets, std::size_t n, double* totals,
                std::size_t m, double* before) {
    constexpr int kThreads = 256;
    auto blocks = [](std::size_t count) -> unsigned {
        std::size_t b = (count + kThreads - 1) / kThreads;
        if (b < 1) b = 1;
        if (b > 4096) b = 4096;
        return (unsigned)b;
    };
    zero_totals<<<blocks(m), kThreads>>>(totals, m);
    scatter_add<<<blocks(n), kThreads>>>(values, targets, n, totals, before);
}

void critical_section(const std::int32_t* /*values*/, std::size_t /*sections*/,
                      std::size_t /*length*/, std::int64_t* /*best*/, std::uint64_t* /*record*/,
                      std::uint32_t* /*order*/) {
    // TODO
}

void transfers(const std::int64_t* /*opening*/, std::size_t /*accounts*/,
               const std::uint32_t* /*from*/, const std::uint32_t* /*to*/,
               const std::int64_t* /*amount*/, std::size_t /*n*/, std::int64_t* /*balance*/,
               std::uint64_t* /*version*/, std::int64_t* /*receipt*/) {
    // TODO
}

void atomic_ops(const std::uint32_t* /*words*/, const std::uint64_t* /*longs*/, std::size_t /*n*/,
                std::uint32_t /*limit*/, std::uint32_t* /*result32*/, std::uint64_t* /*result64*/,
                std::uint32_t* /*head32*/, std::uint64_t* /*head64*/, std::uint32_t* /*next32*/,
                std::uint64_t* /*next64*/) {
    // TODO
}

// cause: compare_as_value line 18
// task: add_double
// the loop ends when the old and the expected double are equal, which a NaN never is: endless as soon as a NaN has got into a total
#include "interface.cuh"

// add_double with atomicCAS, on the bits of the double.

__device__ double atomic_add_double(double* address, double value) {
    unsigned long long int* address_as_ull = (unsigned long long int*)address;
    double old = *address;
    double assumed;
    do {
        assumed = old;
        old = __longlong_as_double(
            (long long)atomicCAS(address_as_ull,
                                 (unsigned long long)__double_as_longlong(assumed),
                                 (unsigned long long)__double_as_longlong(assumed + value)));
    } while (old != assumed);
    return old;
}

// If there is only one target, lane 0 goes for its warp, and every lane gets the
// value that it would have seen if they had gone one after the other.
__device__ double add_by_leader(double* total, double value) {
    const unsigned lane = threadIdx.x % 32;
    const unsigned active = __activemask();   // always lanes 0 to k - 1

    double sum = 0.0, before = 0.0;
    for (unsigned k = 0; k < 32 && (active >> k) & 1; ++k) {
        if (k == lane) before = sum;
        sum += __shfl_sync(active, value, k);
    }

    double base = 0.0;
    if (lane == 0) base = atomic_add_double(total, sum);
    base = __shfl_sync(active, base, 0);
    return base + before;
}

__global__ void add_kernel(const double* values, const std::uint32_t* targets, std::size_t n,
                           double* totals, bool single, double* before) {
    const std::size_t i = (std::size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    if (single)
        before[i] = add_by_leader(totals, values[i]);
    else
        before[i] = atomic_add_double(totals + targets[i], values[i]);
}

void add_double(const double* values, const std::uint32_t* targets, std::size_t n, double* totals,
                std::size_t m, double* before) {
    cudaMemset(totals, 0, m * sizeof(double));
    if (n == 0) return;

    const unsigned block = 128;
    const bool single = m == 1;
    add_kernel<<<(unsigned)((n + block - 1) / block), block>>>(values, targets, n, totals, single,
                                                               before);
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

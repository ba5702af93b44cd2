// cause: converted_not_reinterpreted line 18
// task: add_double
// The old word is converted to a double (its bits taken as a huge integer) when it is returned; the totals are right, before is not.
#include "interface.cuh"

typedef unsigned long long ull;

__device__ double atomic_add_double(double* address, double value)
{
    ull* p = (ull*)address;
    ull old = atomicAdd(p, 0ull);      // integer addition of nothing, to read the word
    ull assumed;
    do {
        assumed = old;
        ull wanted = __double_as_longlong(__longlong_as_double(assumed) + value);
        old = atomicCAS(p, assumed, wanted);
    } while (assumed != old);
    return (double)old;
}

__global__ void add_kernel(const double* values, const std::uint32_t* targets, std::size_t n,
                           double* totals, double* before)
{
    std::size_t i = blockIdx.x * (std::size_t)blockDim.x + threadIdx.x;
    if (i < n)
        before[i] = atomic_add_double(totals + targets[i], values[i]);
}

void add_double(const double* values, const std::uint32_t* targets, std::size_t n,
                double* totals, std::size_t m, double* before)
{
    cudaMemset(totals, 0, m * sizeof(double));   // all bits zero is 0.0
    if (n == 0) return;
    add_kernel<<<(n + 127) / 128, 128>>>(values, targets, n, totals, before);
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

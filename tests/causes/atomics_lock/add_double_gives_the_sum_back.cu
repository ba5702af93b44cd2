// cause: wrong_result_returned line 27
// task: add_double
// the swap loop returns what it wrote and not what was there before; before[i] is off by values[i] whenever n > 0
#include "interface.cuh"

// Task 1: a compare-and-swap loop that takes any operation, so that I can reuse it.

using Bits = unsigned long long;

__device__ inline Bits to_bits(double x) {
    return static_cast<Bits>(__double_as_longlong(x));
}

__device__ inline double to_double(Bits b) {
    return __longlong_as_double(static_cast<long long>(b));
}

// *where = op(*where) in one piece
template <class Op>
__device__ double atomic_apply(double* where, Op op) {
    Bits* word = reinterpret_cast<Bits*>(where);
    Bits expected = *word;
    for (;;) {
        const Bits desired = to_bits(op(to_double(expected)));
        const Bits found = atomicCAS(word, expected, desired);
        if (found == expected) {  // compare bits, NaN != NaN
            return to_double(desired);
        }
        expected = found;  // somebody was faster
    }
}

__device__ double atomic_add_double(double* address, double value) {
    return atomic_apply(address, [value](double old) { return old + value; });
}

__global__ void clear(double* totals, std::size_t m) {
    for (std::size_t k = blockIdx.x * blockDim.x + threadIdx.x; k < m;
         k += std::size_t(gridDim.x) * blockDim.x)
        totals[k] = 0.0;
}

__global__ void add_values(const double* values, const std::uint32_t* targets, std::size_t n,
                           double* totals, double* before) {
    const std::size_t stride = std::size_t(gridDim.x) * blockDim.x;
    for (std::size_t i = std::size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += stride) {
        before[i] = atomic_add_double(&totals[targets[i]], values[i]);
    }
}

void add_double(const double* values, const std::uint32_t* targets, std::size_t n, double* totals,
                std::size_t m, double* before) {
    const int threads = 192;
    const std::size_t most = 1056;  // 8 blocks for each of the 132 multiprocessors

    auto blocks = [&](std::size_t items) {
        std::size_t b = (items + threads - 1) / threads;
        return static_cast<unsigned>(b < most ? b : most);
    };

    clear<<<blocks(m), threads>>>(totals, m);
    if (n != 0) {
        add_values<<<blocks(n), threads>>>(values, targets, n, totals, before);
    }
}

// Task 2. Write a lock, and let one thread of each block update the record under it:
//     struct Lock { __device__ void lock(); __device__ void unlock(); ... };
void critical_section(const std::int32_t* /*values*/, std::size_t /*sections*/,
                      std::size_t /*length*/, std::int64_t* /*best*/, std::uint64_t* /*record*/,
                      std::uint32_t* /*order*/) {
    // TODO
}

// Task 3. One lock per account; every thread takes two of them.
void transfers(const std::int64_t* /*opening*/, std::size_t /*accounts*/,
               const std::uint32_t* /*from*/, const std::uint32_t* /*to*/,
               const std::int64_t* /*amount*/, std::size_t /*n*/, std::int64_t* /*balance*/,
               std::uint64_t* /*version*/, std::int64_t* /*receipt*/) {
    // TODO
}

// Task 4. Each atomic operation that CUDA has, on words of 32 and of 64 bits.
void atomic_ops(const std::uint32_t* /*words*/, const std::uint64_t* /*longs*/, std::size_t /*n*/,
                std::uint32_t /*limit*/, std::uint32_t* /*result32*/, std::uint64_t* /*result64*/,
                std::uint32_t* /*head32*/, std::uint64_t* /*head64*/, std::uint32_t* /*next32*/,
                std::uint64_t* /*next64*/) {
    // TODO
}

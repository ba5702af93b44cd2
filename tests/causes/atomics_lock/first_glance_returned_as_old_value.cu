// cause: wrong_result_returned line 35
// task: add_double
// The function returns the value of its first look, not the one that its swap replaced: wrong as soon as a swap had to be repeated.
#include "interface.cuh"

typedef unsigned long long word_t;

void critical_section(const std::int32_t*, std::size_t, std::size_t, std::int64_t*, std::uint64_t*,
                      std::uint32_t*) {
    // later
}
void transfers(const std::int64_t*, std::size_t, const std::uint32_t*, const std::uint32_t*,
               const std::int64_t*, std::size_t, std::int64_t*, std::uint64_t*, std::int64_t*) {
    // later
}
void atomic_ops(const std::uint32_t*, const std::uint64_t*, std::size_t, std::uint32_t,
                std::uint32_t*, std::uint64_t*, std::uint32_t*, std::uint64_t*, std::uint32_t*,
                std::uint64_t*) {
    // later
}

__device__ inline word_t to_bits(double d) { return (word_t)__double_as_longlong(d); }
__device__ inline double from_bits(word_t b) { return __longlong_as_double((long long)b); }

// Read-modify-write of a 64-bit word with any function, from compare-and-swap.
template <typename Modify>
__device__ word_t read_modify_write(word_t* word, Modify modify) {
    const word_t old = *(volatile word_t*)word;
    word_t expected = old;
    while (true) {
        const word_t found = atomicCAS(word, expected, modify(expected));
        if (found == expected) break;  // nobody came between
        expected = found;
    }
    return old;
}

struct PlusDouble {
    double value;
    __device__ word_t operator()(word_t bits) const { return to_bits(from_bits(bits) + value); }
};

__device__ double atomic_add_double(double* address, double value) {
    return from_bits(read_modify_write((word_t*)address, PlusDouble{value}));
}

__global__ void addDoubleKernel(const double* values, const std::uint32_t* targets, std::size_t n,
                                double* totals, double* before) {
    std::size_t i = threadIdx.x + (std::size_t)blockDim.x * blockIdx.x;
    if (i < n) {
        const double v = values[i];
        const std::uint32_t t = targets[i];
        before[i] = atomic_add_double(totals + t, v);
    }
}

void add_double(const double* values, const std::uint32_t* targets, std::size_t n, double* totals,
                std::size_t m, double* before) {
    // 0.0 is all zero bits, so memset will do
    cudaMemset(totals, 0, sizeof(double) * m);
    if (n == 0) return;

    const int threadsPerBlock = 192;
    const int blocksPerGrid = (int)((n + threadsPerBlock - 1) / threadsPerBlock);
    addDoubleKernel<<<blocksPerGrid, threadsPerBlock>>>(values, targets, n, totals, before);
}

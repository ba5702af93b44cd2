// cause: wrong_result_returned line 26
// task: add_double
// The function returns what it has stored and not what was there before; shows from the first value on.
#include "interface.cuh"
#include <cstring>

template <typename To, typename From>
__device__ To bits_of(From f) {
    static_assert(sizeof(To) == sizeof(From), "sizes differ");
    To t;
    memcpy(&t, &f, sizeof t);
    return t;
}

__device__ double atomic_add_double(double* address, double value) {
    using word = unsigned long long;
    word* w = reinterpret_cast<word*>(address);
    word seen = bits_of<word>(*static_cast<volatile double*>(address));
    word wanted = 0;
    for (bool won = false; !won;) {
        wanted = bits_of<word>(bits_of<double>(seen) + value);
        const word was = atomicCAS(w, seen, wanted);
        won = was == seen;
        seen = was;
    }
    return bits_of<double>(wanted);
}

__global__ void add_strided(const double* values, const std::uint32_t* targets, std::size_t n, double* totals,
                            double* before) {
    const std::size_t threads = std::size_t(gridDim.x) * blockDim.x;
    for (std::size_t i = std::size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += threads) {
        const double old = atomic_add_double(totals + targets[i], values[i]);
        before[i] = old;
    }
}

void add_double(const double* values, const std::uint32_t* targets, std::size_t n, double* totals, std::size_t m,
                double* before) {
    if (cudaMemset(totals, 0, sizeof(double) * m) != cudaSuccess) return;
    add_strided<<<80, 96>>>(values, targets, n, totals, before);
}

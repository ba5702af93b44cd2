// cause: converted_not_reinterpreted line 18
// task: add_double
// the sum is converted to an integer instead of its bits being taken; every total and all later old values are wrong.
#include "interface.cuh"

using word_t = unsigned long long;

struct AtomicDouble {
    word_t* bits;

    __device__ explicit AtomicDouble(double* p) : bits(reinterpret_cast<word_t*>(p)) {}

    template <class Update>
    __device__ double fetch_update(Update update) {
        word_t seen = atomicCAS(bits, 0ull, 0ull);   // just a look
        for (;;) {
            const double current = __longlong_as_double(seen);
            const word_t desired = static_cast<word_t>(update(current));
            const word_t found = atomicCAS(bits, seen, desired);
            if (found == seen) return current;
            seen = found;
        }
    }
};

namespace {

__global__ void zero(double* totals, std::size_t m) {
    const std::size_t j = std::size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (j < m) totals[j] = 0.0;
}

__global__ void add_all(const double* values, const std::uint32_t* targets, std::size_t n,
                        double* totals, double* before) {
    const std::size_t i = std::size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const double v = values[i];
    AtomicDouble total(&totals[targets[i]]);
    before[i] = total.fetch_update([v](double x) { return x + v; });
}

unsigned blocks_for(std::size_t count, unsigned threads) {
    return static_cast<unsigned>((count + threads - 1) / threads);
}

}  // namespace

void add_double(const double* values, const std::uint32_t* targets, std::size_t n,
                double* totals, std::size_t m, double* before) {
    zero<<<blocks_for(m, 256), 256>>>(totals, m);
    if (n == 0) return;
    add_all<<<blocks_for(n, 256), 256>>>(values, targets, n, totals, before);
}

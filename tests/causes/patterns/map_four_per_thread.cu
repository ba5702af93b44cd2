// cause: grid_too_small line 30
// task: map
// The number of elements per thread is divided out rounded down first, so for n % 4 != 0 the last elements can get no thread (n = 1025: one block for 1024).
#include "interface.cuh"

namespace {

constexpr unsigned kThreads = 256;
constexpr unsigned kPerThread = 4;

struct Cubic {
    float c0, c1, c2, c3;
    __device__ float operator()(float x) const { return c0 + x * (c1 + x * (c2 + x * c3)); }
};

template <typename F>
__global__ void __launch_bounds__(kThreads)
    transform(const float* x, float* y, std::size_t n, F f) {
    std::size_t base = std::size_t{blockIdx.x} * kThreads * kPerThread + threadIdx.x;
#pragma unroll
    for (unsigned k = 0; k < kPerThread; ++k) {
        std::size_t i = base + k * kThreads;
        if (i < n) y[i] = f(x[i]);
    }
}

}  // namespace

void map_cubic(const float* x, std::size_t n, float c0, float c1, float c2, float c3, float* y) {
    const std::size_t workers = n / kPerThread;
    const auto blocks = static_cast<unsigned>((workers + kThreads - 1) / kThreads);
    transform<<<blocks, kThreads>>>(x, y, n, Cubic{c0, c1, c2, c3});
}

void gather_sum(const float*, std::size_t, const std::uint32_t*, std::size_t, float*) {}
void scatter_add(const std::int32_t*, const std::uint32_t*, std::size_t, std::size_t,
                 std::int64_t*) {}

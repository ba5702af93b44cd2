// cause: accumulator_too_narrow line 36
// task: scatter
// amounts for the same target that follow one another are added up in an int before they go to the 64-bit total
#include "interface.cuh"

namespace {

constexpr unsigned kThreads = 128;
constexpr std::size_t kPerThread = 8;

// Sum of consecutive bookings on the same account. Saves an atomic for each of them but the last.
class Run {
public:
    __device__ Run(unsigned long long* totals, std::uint32_t account)
        : totals_(totals), account_(account) {}

    __device__ void book(std::uint32_t account, std::int32_t amount) {
        if (account != account_) {
            flush();
            account_ = account;
        }
        sum_ += amount;
    }

    __device__ void flush() {
        if (sum_ != 0) {
            const long long wide = sum_;
            atomicAdd(totals_ + account_, static_cast<unsigned long long>(wide));
        }
        sum_ = 0;
    }

private:
    unsigned long long* totals_;
    std::uint32_t account_;
    int sum_ = 0;
};

__global__ void clear(unsigned long long* totals, std::size_t m) {
    const std::size_t t = blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x;
    if (t < m) totals[t] = 0;
}

__global__ void scatter_runs(const std::int32_t* value, const std::uint32_t* target, std::size_t n,
                             unsigned long long* totals) {
    const std::size_t me = blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x;
    const std::size_t begin = me * kPerThread;
    if (begin >= n) return;
    const std::size_t end = begin + kPerThread < n ? begin + kPerThread : n;

    Run run(totals, target[begin]);
    for (std::size_t i = begin; i < end; ++i) run.book(target[i], value[i]);
    run.flush();
}

unsigned blocks(std::size_t threads) {
    return static_cast<unsigned>((threads + kThreads - 1) / kThreads);
}

}  // namespace

void scatter_add(const std::int32_t* value, const std::uint32_t* target, std::size_t n,
                 std::size_t m, std::int64_t* total) {
    auto* totals = reinterpret_cast<unsigned long long*>(total);
    clear<<<blocks(m), kThreads>>>(totals, m);
    if (n > 0) {
        const std::size_t threads = (n + kPerThread - 1) / kPerThread;
        scatter_runs<<<blocks(threads), kThreads>>>(value, target, n, totals);
    }
}

void map_cubic(const float* /*x*/, std::size_t /*n*/, float /*c0*/, float /*c1*/, float /*c2*/,
               float /*c3*/, float* /*y*/) {
    // TODO
}

void gather_sum(const float* /*value*/, std::size_t /*m*/, const std::uint32_t* /*neighbour*/,
                std::size_t /*n*/, float* /*out*/) {
    // TODO
}

// cause: stream_not_waited_for line 80
// task: bins
// The merge runs in the default stream, which non-blocking streams do not wait for nor are waited for by, so it adds up copies that are still being counted.
#include "interface.cuh"

#include <algorithm>
#include <array>

namespace {

constexpr int lanes = 4;  // pieces that are counted side by side
constexpr int threads = 256;

struct Pipeline {
    std::array<cudaStream_t, lanes> stream{};
    std::array<cudaEvent_t, lanes> counted{};
    unsigned int* copies = nullptr;
    std::size_t capacity = 0;

    Pipeline() {
        for (int s = 0; s < lanes; ++s) {
            cudaStreamCreateWithFlags(&stream[s], cudaStreamNonBlocking);
            cudaEventCreateWithFlags(&counted[s], cudaEventDisableTiming);
        }
    }

    unsigned int* reserve(std::size_t counters) {
        if (counters > capacity) {
            cudaFree(copies);
            cudaMalloc(&copies, counters * sizeof(unsigned int));
            capacity = counters;
        }
        return copies;
    }
};

Pipeline& pipeline() {
    static Pipeline instance;
    return instance;
}

__global__ void count(const unsigned int* in, std::size_t n, unsigned int* copy) {
    const std::size_t step = std::size_t{gridDim.x} * blockDim.x;
    for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += step) {
        atomicAdd(copy + in[i], 1u);
    }
}

__global__ void merge(const unsigned int* copies, unsigned int bin_count, unsigned int* bins) {
    const unsigned int b = blockIdx.x * blockDim.x + threadIdx.x;
    if (b >= bin_count) return;
    unsigned int sum = 0;
    for (int s = 0; s < lanes; ++s) sum += copies[std::size_t{bin_count} * s + b];
    bins[b] = sum;
}

}  // namespace

void histogram_bytes(const unsigned char*, std::size_t, unsigned int*) {}

void histogram_bins(const unsigned int* in, std::size_t n, unsigned int* bins,
                    unsigned int bin_count) {
    auto& p = pipeline();
    unsigned int* copies = p.reserve(std::size_t{bin_count} * lanes);
    const std::size_t piece = (n + lanes - 1) / lanes;

    for (int s = 0; s < lanes; ++s) {
        unsigned int* copy = copies + std::size_t{bin_count} * s;
        const std::size_t first = std::min(n, piece * s);
        const std::size_t size = std::min(n - first, piece);
        cudaMemsetAsync(copy, 0, bin_count * sizeof(unsigned int), p.stream[s]);
        if (size > 0) {
            const auto blocks = static_cast<unsigned>(std::min<std::size_t>((size + threads - 1) / threads, 60));
            count<<<blocks, threads, 0, p.stream[s]>>>(in + first, size, copy);
        }
        cudaEventRecord(p.counted[s], p.stream[s]);
    }

    for (int s = 1; s < lanes; ++s) cudaStreamWaitEvent(p.stream[0], p.counted[s], 0);
    merge<<<(bin_count + threads - 1) / threads, threads>>>(copies, bin_count, bins);
}

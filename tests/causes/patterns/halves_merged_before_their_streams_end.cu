// cause: stream_not_waited_for line 65
// task: scatter
// two streams add up half of the bookings each, and the merge in the default stream does not wait for them
#include "interface.cuh"

typedef unsigned long long word;

static const int THREADS = 256;

// One half of the bookings: a stream of its own and totals of its own.
struct Half {
    cudaStream_t stream = nullptr;
    word* totals = nullptr;
    std::size_t capacity = 0;

    // totals for m accounts; memory is kept for the next call
    void prepare(std::size_t m) {
        if (!stream) cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
        if (m > capacity) {
            cudaFree(totals);
            cudaMalloc(&totals, m * sizeof(word));
            capacity = m;
        }
    }
};

// amounts are signed: widen first, then take the bits
__global__ void bookKernel(const std::int32_t* value, const std::uint32_t* target, std::size_t n,
                           word* totals) {
    const std::size_t step = (std::size_t)gridDim.x * blockDim.x;
    for (std::size_t i = (std::size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) {
        const long long amount = value[i];
        atomicAdd(&totals[target[i]], (word)amount);
    }
}

__global__ void mergeKernel(const word* a, const word* b, std::size_t m, std::int64_t* total) {
    const std::size_t t = (std::size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (t < m) total[t] = (std::int64_t)(a[t] + b[t]);
}

static unsigned blocksFor(std::size_t n) {
    std::size_t b = (n + THREADS - 1) / THREADS;
    return b < 65535 ? (unsigned)b : 65535u;
}

void scatter_add(const std::int32_t* value, const std::uint32_t* target, std::size_t n,
                 std::size_t m, std::int64_t* total) {
    static Half halves[2];
    const std::size_t begin[3] = {0, n / 2, n};

    for (int h = 0; h < 2; ++h) {
        Half& half = halves[h];
        half.prepare(m);
        cudaMemsetAsync(half.totals, 0, m * sizeof(word), half.stream);
        const std::size_t count = begin[h + 1] - begin[h];
        if (count > 0) {
            bookKernel<<<blocksFor(count), THREADS, 0, half.stream>>>(
                value + begin[h], target + begin[h], count, half.totals);
        }
    }

    // put the halves together
    const unsigned blocks = (unsigned)((m + THREADS - 1) / THREADS);
    mergeKernel<<<blocks, THREADS>>>(halves[0].totals, halves[1].totals, m, total);
}

void map_cubic(const float*, std::size_t, float, float, float, float, float*) {}

void gather_sum(const float*, std::size_t, const std::uint32_t*, std::size_t, float*) {}

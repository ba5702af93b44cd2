// cause: stream_not_waited_for line 66
// task: scatter
// The parts are summed in streams that do not block, and the merge in the default stream starts without waiting for them.
#include "interface.cuh"

// Scatter with several streams: each gets a part of the bookings and a table of totals of its
// own, and in the end the tables are added up. So fewer threads meet in one word.

using u64 = unsigned long long;

constexpr int STREAMS = 4;
constexpr int THREADS = 256;

struct Workers {
    cudaStream_t stream[STREAMS];
    u64* tables = nullptr;  // STREAMS tables of m totals
    std::size_t capacity = 0;

    Workers() {
        for (auto& s : stream) cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    }

    void reserve(std::size_t words) {
        if (words <= capacity) return;
        cudaFree(tables);
        cudaMalloc(&tables, words * sizeof(u64));
        capacity = words;
    }
};

__global__ void book(const std::int32_t* value, const std::uint32_t* target, std::size_t n,
                     u64* table) {
    const std::size_t i = std::size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i >= n) return;
    // widen with the sign first; modulo 2^64 the addition is the same
    const long long v = value[i];
    atomicAdd(&table[target[i]], static_cast<u64>(v));
}

__global__ void merge(const u64* tables, std::size_t m, std::int64_t* total) {
    const std::size_t t = std::size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (t >= m) return;
    u64 sum = 0;
    for (int s = 0; s < STREAMS; ++s) sum += tables[s * m + t];
    total[t] = static_cast<std::int64_t>(sum);
}

static unsigned grid_of(std::size_t count) { return unsigned((count + THREADS - 1) / THREADS); }

void scatter_add(const std::int32_t* value, const std::uint32_t* target, std::size_t n,
                 std::size_t m, std::int64_t* total) {
    static Workers workers;
    cudaDeviceSynchronize();  // the inputs are there, and nobody uses the tables any more
    workers.reserve(STREAMS * m);

    const std::size_t part = (n + STREAMS - 1) / STREAMS;
    for (int s = 0; s < STREAMS; ++s) {
        u64* const table = workers.tables + s * m;
        cudaMemsetAsync(table, 0, m * sizeof(u64), workers.stream[s]);
        const std::size_t begin = s * part;
        if (begin >= n) continue;
        const std::size_t count = begin + part <= n ? part : n - begin;
        book<<<grid_of(count), THREADS, 0, workers.stream[s]>>>(value + begin, target + begin,
                                                                count, table);
    }
    merge<<<grid_of(m), THREADS>>>(workers.tables, m, total);
}

void map_cubic(const float*, std::size_t, float, float, float, float, float*) {}
void gather_sum(const float*, std::size_t, const std::uint32_t*, std::size_t, float*) {}

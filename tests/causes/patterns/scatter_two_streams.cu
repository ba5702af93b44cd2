// cause: stream_not_waited_for line 33 or 34
// task: scatter
// The totals are cleared in one non-blocking stream while the additions already run in another one; nothing makes the second wait.
#include "interface.cuh"

__global__ void clear(std::int64_t* total, std::size_t m) {
    std::size_t i = blockIdx.x * std::size_t(blockDim.x) + threadIdx.x;
    if (i < m) total[i] = 0;
}

__global__ void add(const std::int32_t* value, const std::uint32_t* target, std::size_t n,
                    std::int64_t* total) {
    std::size_t i = blockIdx.x * std::size_t(blockDim.x) + threadIdx.x;
    if (i < n) {
        long long v = value[i];
        atomicAdd((unsigned long long*)&total[target[i]], (unsigned long long)v);
    }
}

void scatter_add(const std::int32_t* value, const std::uint32_t* target, std::size_t n,
                 std::size_t m, std::int64_t* total) {
    static cudaStream_t setup = nullptr, work = nullptr;
    static cudaEvent_t ready = nullptr;
    if (!setup) {
        cudaStreamCreateWithFlags(&setup, cudaStreamNonBlocking);
        cudaStreamCreateWithFlags(&work, cudaStreamNonBlocking);
        cudaEventCreateWithFlags(&ready, cudaEventDisableTiming);
    }

    const unsigned threads = 256;
    clear<<<(m + threads - 1) / threads, threads, 0, setup>>>(total, m);
    cudaEventRecord(ready, setup);
    if (n > 0) {
        add<<<(n + threads - 1) / threads, threads, 0, work>>>(value, target, n, total);
    }
}

void map_cubic(const float* /*x*/, std::size_t /*n*/, float /*c0*/, float /*c1*/, float /*c2*/,
               float /*c3*/, float* /*y*/) {
    // TODO: write a kernel and launch it here.
}

void gather_sum(const float* /*value*/, std::size_t /*m*/, const std::uint32_t* /*neighbour*/,
                std::size_t /*n*/, float* /*out*/) {
    // TODO
}

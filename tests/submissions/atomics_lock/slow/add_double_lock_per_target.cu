// expect: add_double=accepted
// expect-gpu: add_double=accepted|time_limit
// A lock per target around a plain addition, with the flag loop: four trips to memory for one.
#include "interface.cuh"

__global__ void add(const double* values, const std::uint32_t* targets, std::size_t n,
                    volatile double* totals, double* before, int* mutex) {
    const std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    bool blocked = i < n;
    while (blocked) {
        const std::uint32_t t = targets[i];
        if (atomicCAS(mutex + t, 0, 1) == 0) {
            __threadfence();
            before[i] = totals[t];
            totals[t] = totals[t] + values[i];
            __threadfence();
            atomicExch(mutex + t, 0);
            blocked = false;
        }
    }
}

void add_double(const double* values, const std::uint32_t* targets, std::size_t n, double* totals,
                std::size_t m, double* before) {
    cudaMemset(totals, 0, m * sizeof *totals);
    if (n == 0) return;
    int* mutex = nullptr;
    cudaMalloc(&mutex, m * sizeof *mutex);
    cudaMemset(mutex, 0, m * sizeof *mutex);
    add<<<static_cast<unsigned>((n + 127) / 128), 128>>>(values, targets, n, totals, before, mutex);
    cudaFree(mutex);
}

// expect: transfers=accepted
// expect-gpu: skip
// report: hangs_before_volta 31, hangs_before_volta 32
// A lane keeps its first lock while it asks for the second, one question per turn of the loop. What
// rules out a deadlock is the order of the accounts alone, and that lanes which hold a lock get on
// while others of their warp spin: the promise since Volta.
#include "interface.cuh"

/// One transfer, while its two accounts are held.
__device__ void book(std::size_t i, std::uint32_t f, std::uint32_t t, std::int64_t amount,
                     volatile std::int64_t* balance, volatile std::uint64_t* version,
                     std::int64_t* receipt) {
    balance[f] = balance[f] - amount;
    balance[t] = balance[t] + amount;
    version[f] = version[f] + 1;
    if (t != f) version[t] = version[t] + 1;
    receipt[4 * i] = static_cast<std::int64_t>(version[f]);
    receipt[4 * i + 1] = static_cast<std::int64_t>(version[t]);
    receipt[4 * i + 2] = balance[f];
    receipt[4 * i + 3] = balance[t];
}

__global__ void bank(const std::uint32_t* from, const std::uint32_t* to, const std::int64_t* amount,
                     std::size_t n, std::int64_t* balance, std::uint64_t* version,
                     std::int64_t* receipt, int* mutex) {
    const std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    const std::uint32_t f = i < n ? from[i] : 0, t = i < n ? to[i] : 0;
    const std::uint32_t low = min(f, t), high = max(f, t);
    bool has_low = false, done = i >= n;
    while (!done) {
        if (!has_low) has_low = atomicCAS(mutex + low, 0, 1) == 0;
        if (has_low && (low == high || atomicCAS(mutex + high, 0, 1) == 0)) {
            __threadfence();
            book(i, f, t, amount[i], balance, version, receipt);
            __threadfence();
            if (low != high) atomicExch(mutex + high, 0);
            atomicExch(mutex + low, 0);
            done = true;
        }
    }
}

void transfers(const std::int64_t* opening, std::size_t accounts, const std::uint32_t* from,
               const std::uint32_t* to, const std::int64_t* amount, std::size_t n,
               std::int64_t* balance, std::uint64_t* version, std::int64_t* receipt) {
    cudaMemcpy(balance, opening, accounts * sizeof *balance, cudaMemcpyDeviceToDevice);
    cudaMemset(version, 0, accounts * sizeof *version);
    if (n == 0) return;
    int* mutex = nullptr;
    cudaMalloc(&mutex, accounts * sizeof *mutex);
    cudaMemset(mutex, 0, accounts * sizeof *mutex);
    bank<<<static_cast<unsigned>((n + 127) / 128), 128>>>(from, to, amount, n, balance, version,
                                                          receipt, mutex);
    cudaFree(mutex);
}

// expect: transfers=time_limit
// expect-gpu: skip
// report: time_limit 29, time_limit 31
// Payer first, then payee, and both are let go if the second one fails. It is no deadlock but a
// livelock: of two opposite transfers in one warp each takes one lock, fails and lets go, in step,
// for ever.
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
    if (i >= n) return;
    const std::uint32_t f = from[i], t = to[i];
    for (bool done = false; !done;) {
        if (atomicCAS(mutex + f, 0, 1) != 0) continue;
        if (f == t || atomicCAS(mutex + t, 0, 1) == 0) {
            __threadfence();
            book(i, f, t, amount[i], balance, version, receipt);
            __threadfence();
            done = true;
            if (f != t) atomicExch(mutex + t, 0);
        }
        atomicExch(mutex + f, 0);
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

// expect: transfers=nondeterministic
// expect-gpu: transfers=nondeterministic|wrong_answer
// report: hangs_before_volta 12
// Locks the payer, books, lets go, then does the same with the payee. Each account's history is
// right, and money is in nobody's hands in between: no order of whole transfers explains it.
#include "interface.cuh"

__device__ void half(std::uint32_t account, std::int64_t amount, volatile std::int64_t* balance,
                     volatile std::uint64_t* version, bool counts, int* mutex,
                     std::int64_t* receipt) {
    for (bool done = false; !done;) {
        if (atomicCAS(mutex + account, 0, 1) != 0) continue;
        __threadfence();
        balance[account] = balance[account] + amount;
        if (counts) version[account] = version[account] + 1;
        receipt[0] = static_cast<std::int64_t>(version[account]);
        receipt[2] = balance[account];
        __threadfence();
        atomicExch(mutex + account, 0);
        done = true;
    }
}

__global__ void bank(const std::uint32_t* from, const std::uint32_t* to, const std::int64_t* amount,
                     std::size_t n, std::int64_t* balance, std::uint64_t* version,
                     std::int64_t* receipt, int* mutex) {
    const std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i >= n) return;
    half(from[i], -amount[i], balance, version, true, mutex, receipt + 4 * i);
    half(to[i], amount[i], balance, version, from[i] != to[i], mutex, receipt + 4 * i + 1);
    if (from[i] == to[i]) {
        receipt[4 * i] = receipt[4 * i + 1];
        receipt[4 * i + 2] = receipt[4 * i + 3];
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

// expect: transfers=data_race
// report: lost_update 10 11, lost_update 11 11, lost_update 12 13, lost_update 13 13, races_unwatched 13
// Only the payer is locked; the payee's record is changed by several threads at once.
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
    bool blocked = i < n;
    while (blocked) {
        if (atomicCAS(mutex + from[i], 0, 1) == 0) {
            __threadfence();
            book(i, from[i], to[i], amount[i], balance, version, receipt);
            __threadfence();
            atomicExch(mutex + from[i], 0);
            blocked = false;
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

// expect: transfers=accepted
// One lock for the whole bank: safe, and transfers between strangers wait for each other. Few
// threads, since more of them would only wait.
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

__device__ int mutex;

__global__ void bank(const std::uint32_t* from, const std::uint32_t* to, const std::int64_t* amount,
                     std::size_t n, std::int64_t* balance, std::uint64_t* version,
                     std::int64_t* receipt) {
    const std::size_t stride = static_cast<std::size_t>(gridDim.x) * blockDim.x;
    std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    while (i < n) {
        if (atomicCAS(&mutex, 0, 1) == 0) {
            __threadfence();
            book(i, from[i], to[i], amount[i], balance, version, receipt);
            __threadfence();
            atomicExch(&mutex, 0);
            i += stride;
        }
    }
}

void transfers(const std::int64_t* opening, std::size_t accounts, const std::uint32_t* from,
               const std::uint32_t* to, const std::int64_t* amount, std::size_t n,
               std::int64_t* balance, std::uint64_t* version, std::int64_t* receipt) {
    cudaMemcpy(balance, opening, accounts * sizeof *balance, cudaMemcpyDeviceToDevice);
    cudaMemset(version, 0, accounts * sizeof *version);
    bank<<<2, 32>>>(from, to, amount, n, balance, version, receipt);
}

// cause: lock_taken_twice line 20
// task: transfers
// A transfer from an account to itself takes the account's lock and then tries to take the same lock as the second one, for ever.
#include "interface.cuh"

__global__ void book(const std::uint32_t* from, const std::uint32_t* to, const std::int64_t* amount,
                     std::size_t n, volatile std::int64_t* balance, volatile std::uint64_t* version,
                     std::int64_t* receipt, int* locks) {
    std::size_t i = blockIdx.x * (std::size_t)blockDim.x + threadIdx.x;
    if (i >= n) return;

    std::uint32_t f = from[i], t = to[i];
    // always the smaller account first, then there is no circle
    std::uint32_t first = f < t ? f : t;
    std::uint32_t second = f < t ? t : f;

    bool done = false;
    while (!done) {
        if (atomicCAS(&locks[first], 0, 1) == 0) {
            if (atomicCAS(&locks[second], 0, 1) == 0) {
                __threadfence();
                balance[f] = balance[f] - amount[i];
                balance[t] = balance[t] + amount[i];
                version[f] = version[f] + 1;
                if (t != f) version[t] = version[t] + 1;
                receipt[4 * i + 0] = (std::int64_t)version[f];
                receipt[4 * i + 1] = (std::int64_t)version[t];
                receipt[4 * i + 2] = balance[f];
                receipt[4 * i + 3] = balance[t];
                __threadfence();
                done = true;
                atomicExch(&locks[second], 0);
            }
            atomicExch(&locks[first], 0);
        }
    }
}

void transfers(const std::int64_t* opening, std::size_t accounts, const std::uint32_t* from,
               const std::uint32_t* to, const std::int64_t* amount, std::size_t n,
               std::int64_t* balance, std::uint64_t* version, std::int64_t* receipt) {
    cudaMemcpy(balance, opening, accounts * sizeof(std::int64_t), cudaMemcpyDeviceToDevice);
    cudaMemset(version, 0, accounts * sizeof(std::uint64_t));
    if (n == 0) return;

    int* locks;
    cudaMalloc((void**)&locks, accounts * sizeof(int));
    cudaMemset(locks, 0, accounts * sizeof(int));
    book<<<(unsigned)((n + 255) / 256), 256>>>(from, to, amount, n, balance, version, receipt,
                                               locks);
    cudaFree(locks);
}

void add_double(const double* /*values*/, const std::uint32_t* /*targets*/, std::size_t /*n*/,
                double* /*totals*/, std::size_t /*m*/, double* /*before*/) {}

void critical_section(const std::int32_t* /*values*/, std::size_t /*sections*/,
                      std::size_t /*length*/, std::int64_t* /*best*/, std::uint64_t* /*record*/,
                      std::uint32_t* /*order*/) {}

void atomic_ops(const std::uint32_t* /*words*/, const std::uint64_t* /*longs*/, std::size_t /*n*/,
                std::uint32_t /*limit*/, std::uint32_t* /*result32*/, std::uint64_t* /*result64*/,
                std::uint32_t* /*head32*/, std::uint64_t* /*head64*/, std::uint32_t* /*next32*/,
                std::uint64_t* /*next64*/) {}

// cause: lock_not_held line 59
// task: transfers
// The receipt is read from the accounts after both locks were given back, so it may show another transfer's state.
#include "interface.cuh"

struct Bank {
    volatile std::int64_t* balance;
    volatile std::uint64_t* version;
    int* locks;
    std::int64_t* receipt;
};

__device__ bool try_lock(int* l) {
    if (atomicCAS(l, 0, 1) != 0) return false;
    __threadfence();
    return true;
}

__device__ void release(int* l) {
    __threadfence();
    atomicExch(l, 0);
}

__device__ void book(const Bank& bank, std::uint32_t f, std::uint32_t t, std::int64_t amount) {
    bank.balance[f] = bank.balance[f] - amount;
    bank.balance[t] = bank.balance[t] + amount;
    bank.version[f] = bank.version[f] + 1;
    if (t != f) bank.version[t] = bank.version[t] + 1;
}

__device__ void print_receipt(const Bank& bank, std::size_t i, std::uint32_t f, std::uint32_t t) {
    std::int64_t* row = bank.receipt + 4 * i;
    row[0] = (std::int64_t)bank.version[f];
    row[1] = (std::int64_t)bank.version[t];
    row[2] = bank.balance[f];
    row[3] = bank.balance[t];
}

__global__ void bank_kernel(Bank bank, const std::uint32_t* from, const std::uint32_t* to,
                            const std::int64_t* amount, std::size_t n) {
    std::size_t i = (std::size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    const std::uint32_t f = from[i], t = to[i];
    const std::uint32_t low = f < t ? f : t;
    const std::uint32_t high = f < t ? t : f;

    bool done = false;
    while (!done) {
        if (try_lock(&bank.locks[low])) {
            if (low == high || try_lock(&bank.locks[high])) {
                book(bank, f, t, amount[i]);
                done = true;
                if (low != high) release(&bank.locks[high]);
            }
            release(&bank.locks[low]);
        }
    }
    print_receipt(bank, i, f, t);
}

void add_double(const double* /*values*/, const std::uint32_t* /*targets*/, std::size_t /*n*/,
                double* /*totals*/, std::size_t /*m*/, double* /*before*/) {}

void critical_section(const std::int32_t* /*values*/, std::size_t /*sections*/,
                      std::size_t /*length*/, std::int64_t* /*best*/, std::uint64_t* /*record*/,
                      std::uint32_t* /*order*/) {}

void transfers(const std::int64_t* opening, std::size_t accounts, const std::uint32_t* from,
               const std::uint32_t* to, const std::int64_t* amount, std::size_t n,
               std::int64_t* balance, std::uint64_t* version, std::int64_t* receipt) {
    static int* locks = nullptr;
    static std::size_t room = 0;
    if (accounts > room) {
        if (locks) cudaFree(locks);
        cudaMalloc(&locks, accounts * sizeof(int));
        room = accounts;
    }
    cudaMemset(locks, 0, accounts * sizeof(int));
    cudaMemset(version, 0, accounts * sizeof(std::uint64_t));
    cudaMemcpy(balance, opening, accounts * sizeof(std::int64_t), cudaMemcpyDeviceToDevice);
    if (n == 0) return;

    Bank bank = {balance, version, locks, receipt};
    bank_kernel<<<(unsigned)((n + 127) / 128), 128>>>(bank, from, to, amount, n);
}

void atomic_ops(const std::uint32_t* /*words*/, const std::uint64_t* /*longs*/, std::size_t /*n*/,
                std::uint32_t /*limit*/, std::uint32_t* /*result32*/, std::uint64_t* /*result64*/,
                std::uint32_t* /*head32*/, std::uint64_t* /*head64*/, std::uint32_t* /*next32*/,
                std::uint64_t* /*next64*/) {}

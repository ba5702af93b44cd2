// cause: lock_order line 39 or 40
// task: transfers
// The locks are taken in the order of from and to, and the first is held while waiting for the second: two opposite transfers wait for each other.
#include "interface.cuh"
#include <cstdint>

class SpinLock {
  public:
    __device__ bool tryAcquire() { return atomicCAS(&state_, kFree, kTaken) == kFree; }
    __device__ void release() {
        __threadfence();
        atomicExch(&state_, kFree);
    }

  private:
    static constexpr unsigned kFree = 0, kTaken = 1;
    unsigned state_;
};

struct Account {
    std::int64_t* balance;
    std::uint64_t* version;
    __device__ void change(std::int64_t by) const {
        __stcg(reinterpret_cast<long long*>(balance), __ldcg(reinterpret_cast<long long*>(balance)) + by);
    }
    __device__ void count() const {
        auto* v = reinterpret_cast<unsigned long long*>(version);
        __stcg(v, __ldcg(v) + 1);
    }
    __device__ std::int64_t getBalance() const { return __ldcg(reinterpret_cast<long long*>(balance)); }
    __device__ std::int64_t getVersion() const { return __ldcg(reinterpret_cast<long long*>(version)); }
};

__global__ void bank(SpinLock* locks, const std::uint32_t* from, const std::uint32_t* to, const std::int64_t* amount,
                     std::size_t n, std::int64_t* balance, std::uint64_t* version, std::int64_t* receipt) {
    for (std::size_t i = std::size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < n;
         i += std::size_t(gridDim.x) * blockDim.x) {
        const std::uint32_t f = from[i], t = to[i];
        SpinLock* one = locks + f;
        SpinLock* two = locks + t;

        int held = 0;
        bool finished = false;
        while (!finished) {
            if (held == 0 && one->tryAcquire()) held = f == t ? 2 : 1;
            if (held == 1 && two->tryAcquire()) held = 2;
            if (held == 2) {
                __threadfence();
                Account a{balance + f, version + f}, b{balance + t, version + t};
                a.change(-amount[i]);
                b.change(amount[i]);
                a.count();
                if (f != t) b.count();
                std::int64_t* row = receipt + 4 * i;
                row[0] = a.getVersion();
                row[1] = b.getVersion();
                row[2] = a.getBalance();
                row[3] = b.getBalance();
                if (f != t) two->release();
                one->release();
                finished = true;
            }
        }
    }
}

void transfers(const std::int64_t* opening, std::size_t accounts, const std::uint32_t* from, const std::uint32_t* to,
               const std::int64_t* amount, std::size_t n, std::int64_t* balance, std::uint64_t* version,
               std::int64_t* receipt) {
    static SpinLock* locks = nullptr;
    static std::size_t size = 0;
    if (accounts > size) {
        cudaFree(locks);
        cudaMalloc(&locks, accounts * sizeof(SpinLock));
        size = accounts;
    }
    cudaMemset(locks, 0, accounts * sizeof(SpinLock));
    cudaMemcpy(balance, opening, accounts * sizeof(*balance), cudaMemcpyDeviceToDevice);
    cudaMemset(version, 0, accounts * sizeof(*version));
    if (n == 0) return;
    bank<<<256, 64>>>(locks, from, to, amount, n, balance, version, receipt);
}

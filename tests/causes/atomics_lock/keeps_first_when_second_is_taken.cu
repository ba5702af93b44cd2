// cause: lock_not_released line 41 or 42
// task: transfers
// When the second lock cannot be had, the thread starts anew without giving the first one back. In
// its next turn, and for everybody else, that account stays locked.
#include "interface.cuh"

enum : int { FREE, TAKEN };

// grown when a larger bank comes, cleared in each call
struct LockTable {
    int* words = nullptr;
    std::size_t size = 0;
    int* get(std::size_t need) {
        if (need > size) {
            cudaFree(words);
            cudaMalloc(reinterpret_cast<void**>(&words), need * sizeof(int));
            size = need;
        }
        cudaMemset(words, FREE, need * sizeof(int));
        return words;
    }
};

__device__ bool acquire(int* w) { return atomicCAS(w, FREE, TAKEN) == FREE; }
__device__ void release(int* w) { atomicExch(w, FREE); }

__global__ void transferKernel(const uint32_t* from, const uint32_t* to, const int64_t* amount,
                               size_t n, int64_t* balance, uint64_t* version, int64_t* receipt,
                               int* locks) {
    const size_t step = size_t(gridDim.x) * blockDim.x;
    for (size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; i < n; i += step) {
        const uint32_t src = from[i], dst = to[i];
        const bool self = src == dst;
        int* first = &locks[src < dst ? src : dst];
        int* second = &locks[src < dst ? dst : src];
        const int64_t money = amount[i];

        bool pending = true;
        while (pending) {
            if (!acquire(first)) continue;
            if (!self && !acquire(second)) {
                continue;
            }
            __threadfence();
            const int64_t left = __ldcg((const long long*)&balance[src]) - money;
            const uint64_t vsrc = __ldcg((const unsigned long long*)&version[src]) + 1;
            if (self) {
                version[src] = vsrc;
                receipt[4 * i + 0] = receipt[4 * i + 1] = int64_t(vsrc);
                receipt[4 * i + 2] = receipt[4 * i + 3] = left + money;
            } else {
                const int64_t right = __ldcg((const long long*)&balance[dst]) + money;
                const uint64_t vdst = __ldcg((const unsigned long long*)&version[dst]) + 1;
                balance[src] = left;
                balance[dst] = right;
                version[src] = vsrc;
                version[dst] = vdst;
                receipt[4 * i + 0] = int64_t(vsrc);
                receipt[4 * i + 1] = int64_t(vdst);
                receipt[4 * i + 2] = left;
                receipt[4 * i + 3] = right;
            }
            __threadfence();
            if (!self) release(second);
            release(first);
            pending = false;
        }
    }
}

void transfers(const std::int64_t* opening, std::size_t accounts, const std::uint32_t* from,
               const std::uint32_t* to, const std::int64_t* amount, std::size_t n,
               std::int64_t* balance, std::uint64_t* version, std::int64_t* receipt) {
    static LockTable table;
    int* locks = table.get(accounts);
    cudaMemcpy(balance, opening, accounts * sizeof(*balance), cudaMemcpyDeviceToDevice);
    cudaMemset(version, 0, accounts * sizeof(*version));
    if (n == 0) return;
    size_t blocks = (n + 63) / 64;
    if (blocks > 4096) blocks = 4096;
    transferKernel<<<(unsigned)blocks, 64>>>(from, to, amount, n, balance, version, receipt,
                                             locks);
}

// cause: missing_atomic line 31
// task: scatter
// a thread keeps the sum of a run of equal targets in a register; the flush inside the loop is atomic but the last one is a plain +=
#include "interface.cuh"

constexpr int RUN = 8;

__device__ void book(std::int64_t* total, unsigned account, long long sum)
{
    atomicAdd((unsigned long long*)(total + account), (unsigned long long)sum);
}

__global__ void scatterRuns(const std::int32_t* value, const std::uint32_t* target, std::size_t n, std::int64_t* total)
{
    const std::size_t threads = std::size_t(gridDim.x) * blockDim.x;
    std::size_t i = std::size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i >= n)
        return;

    unsigned account = target[i];
    long long sum = value[i];
    for (i += threads; i < n; i += threads) {
        const unsigned next = target[i];
        if (next != account) {
            book(total, account, sum);
            account = next;
            sum = 0;
        }
        sum += value[i];
    }
    total[account] += sum;
}

void scatter_add(const std::int32_t* value, const std::uint32_t* target, std::size_t n, std::size_t m, std::int64_t* total)
{
    cudaMemset(total, 0, m * sizeof(std::int64_t));
    const std::size_t blocks = (n + 128 * RUN - 1) / (128 * RUN);
    if (blocks)
        scatterRuns<<<static_cast<unsigned>(blocks), 128>>>(value, target, n, total);
}

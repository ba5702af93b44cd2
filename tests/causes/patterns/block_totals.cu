// cause: blocks_not_combined line 39
// task: scatter
// each block stores its private totals over those of the others, which shows as soon as there is more than one block
#include "interface.cuh"

template <class T>
struct Span {
    T* data;
    std::size_t size;
    __device__ T& operator[](std::size_t i) const { return data[i]; }
};

using ull = unsigned long long;

constexpr std::size_t kPrivate = 4096;   // 32 KB of totals
constexpr int kBlock = 512;

__global__ void direct(Span<const std::int32_t> value, Span<const std::uint32_t> target, Span<std::int64_t> total)
{
    const std::size_t step = std::size_t(gridDim.x) * kBlock;
    for (std::size_t i = blockIdx.x * std::size_t(kBlock) + threadIdx.x; i < value.size; i += step)
        atomicAdd(reinterpret_cast<ull*>(&total[target[i]]), ull(static_cast<long long>(value[i])));
}

__global__ void privatised(Span<const std::int32_t> value, Span<const std::uint32_t> target, Span<std::int64_t> total)
{
    extern __shared__ ull mine[];
    for (std::size_t t = threadIdx.x; t < total.size; t += kBlock)
        mine[t] = 0;
    __syncthreads();

    const std::size_t step = std::size_t(gridDim.x) * kBlock;
    for (std::size_t i = blockIdx.x * std::size_t(kBlock) + threadIdx.x; i < value.size; i += step)
        atomicAdd(&mine[target[i]], ull(static_cast<long long>(value[i])));
    __syncthreads();

    for (std::size_t t = threadIdx.x; t < total.size; t += kBlock)
        if (mine[t] != 0)
            total[t] = static_cast<std::int64_t>(mine[t]);
}

void scatter_add(const std::int32_t* value, const std::uint32_t* target, std::size_t n, std::size_t m, std::int64_t* total)
{
    cudaMemsetAsync(total, 0, m * sizeof(std::int64_t));
    if (n == 0) return;

    std::size_t blocks = (n + 4 * kBlock - 1) / (4 * kBlock);
    if (blocks > 264) blocks = 264;
    auto launch = [&](auto kernel, std::size_t bytes) {
        kernel<<<unsigned(blocks), kBlock, bytes>>>(Span<const std::int32_t>{value, n}, Span<const std::uint32_t>{target, n},
                                                    Span<std::int64_t>{total, m});
    };
    if (m <= kPrivate)
        launch(privatised, m * sizeof(ull));
    else
        launch(direct, 0);
}

// cause: uninitialised_shared line 19
// task: scatter
// Each thread clears one private total, and a block has 256 threads: with more than 256 accounts in a window the others start with garbage.
#include "interface.cuh"

// The accounts are taken in windows that fit into shared memory; blockIdx.y is the window.
constexpr int THREADS = 256;
constexpr int WINDOW = 1024;

__global__ void scatter_window(const std::int32_t *value, const std::uint32_t *target, std::size_t n,
                               std::size_t m, std::int64_t *total)
{
    __shared__ unsigned long long part[WINDOW];
    const std::size_t low = (std::size_t)blockIdx.y * WINDOW;
    const int size = m - low < WINDOW ? (int)(m - low) : WINDOW;
    const int tid = threadIdx.x;

    // 1. clear
    if (tid < size)
        part[tid] = 0;
    __syncthreads();

    // 2. add what belongs to this window
    for (std::size_t i = (std::size_t)blockIdx.x * THREADS + tid; i < n; i += (std::size_t)gridDim.x * THREADS) {
        std::size_t t = target[i];
        if (t >= low && t < low + size)
            atomicAdd(&part[t - low], (unsigned long long)(long long)value[i]);
    }
    __syncthreads();

    // 3. merge
    for (int k = tid; k < size; k += THREADS)
        atomicAdd((unsigned long long *)total + low + k, part[k]);
}

void scatter_add(const std::int32_t *value, const std::uint32_t *target, std::size_t n, std::size_t m, std::int64_t *total)
{
    cudaMemset(total, 0, m * sizeof *total);
    dim3 grid(n / (8 * THREADS) + 1, (m + WINDOW - 1) / WINDOW);
    if (grid.x > 128)
        grid.x = 128;
    scatter_window<<<grid, THREADS>>>(value, target, n, m, total);
}

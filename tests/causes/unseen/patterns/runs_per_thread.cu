// cause: elements_ignored line 34
// task: scatter
// A thread adds a run of equal targets to its total when the next run begins, and so never adds its last run.
#include "interface.cuh"

enum { SECTION = 16, THREADS = 128 };

__device__ static inline void flush(std::int64_t *total, std::uint32_t where, long long run)
{
    if (run)
        atomicAdd((unsigned long long *)(total + where), (unsigned long long)run);
}

/* each thread walks over a section and adds equal targets in a register */
__global__ void scatter_runs(const std::int32_t *value, const std::uint32_t *target, std::size_t n,
                             std::int64_t *total)
{
    std::size_t lo = ((std::size_t)blockIdx.x * THREADS + threadIdx.x) * SECTION;
    if (lo >= n)
        return;
    std::size_t hi = lo + SECTION;
    if (hi > n)
        hi = n;

    std::uint32_t current = target[lo];
    long long run = 0;
    for (std::size_t i = lo; i < hi; i++) {
        if (target[i] != current) {
            flush(total, current, run);
            current = target[i];
            run = 0;
        }
        run += value[i];
    }
}

void scatter_add(const std::int32_t *value, const std::uint32_t *target, std::size_t n,
                 std::size_t m, std::int64_t *total)
{
    cudaMemset(total, 0, sizeof(std::int64_t) * m);
    std::size_t sections = (n + SECTION - 1) / SECTION;
    if (sections > 0)
        scatter_runs<<<(sections + THREADS - 1) / THREADS, THREADS>>>(value, target, n, total);
}

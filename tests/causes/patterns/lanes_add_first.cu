// cause: wrong_signature line 35 or 36
// task: scatter
// The totals are declared as long long, which is another type than std::int64_t, so that this is an overload and the function itself is missing.
#include "interface.cuh"

// Lanes of a warp that aim at the same account find each other, and the first of them books for
// all. __match_any_sync does the finding (compute capability 7.0 and later).

__global__ void bookings(const int *value, const unsigned *target, size_t n, long long *total)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    unsigned active = __ballot_sync(0xffffffffu, i < n);
    if (i >= n)
        return;

    int lane = threadIdx.x & 31;
    unsigned account = target[i];
    long long amount = value[i];
    unsigned peers = __match_any_sync(active, account);
    int leader = __ffs(peers) - 1;

    // every lane goes through its peers and adds up what they have
    long long sum = 0;
    for (int source = 0; source < 32; ++source) {
        if (!(active >> source & 1))
            continue;
        long long other = __shfl_sync(active, amount, source);
        if (peers >> source & 1)
            sum += other;
    }
    if (lane == leader)
        atomicAdd((unsigned long long *)&total[account], (unsigned long long)sum);
}

void scatter_add(const std::int32_t *value, const std::uint32_t *target, std::size_t n,
                 std::size_t m, long long *total)
{
    cudaMemset(total, 0, m * sizeof(long long));
    if (n > 0)
        bookings<<<(unsigned)((n + 255) / 256), 256>>>(value, target, n, total);
}

void map_cubic(const float *, std::size_t, float, float, float, float, float *) {}
void gather_sum(const float *, std::size_t, const std::uint32_t *, std::size_t, float *) {}

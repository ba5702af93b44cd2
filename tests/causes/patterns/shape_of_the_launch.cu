// cause: launch_swapped line 28
// task: scatter
// The struct has the blocks first, but its initialiser gives the threads first: 256 blocks of n / 256 threads, too many threads for a block beyond 262144 bookings.
#include "interface.cuh"

#include <cstdint>

// ------------------------------------------------------------------------------------------
// The shape of a launch
// ------------------------------------------------------------------------------------------

struct LaunchShape {
    unsigned int blocks;
    unsigned int threads_per_block;
};

static const unsigned int THREADS_PER_BLOCK = 256;

static unsigned int divide_and_round_up(std::size_t a, std::size_t b) {
    return static_cast<unsigned int>((a + b - 1) / b);
}

static LaunchShape shape_for(std::size_t elements) {
    unsigned int needed = divide_and_round_up(elements, THREADS_PER_BLOCK);
    if (needed == 0) {
        needed = 1;
    }
    LaunchShape shape = {THREADS_PER_BLOCK, needed};
    return shape;
}

// ------------------------------------------------------------------------------------------
// Device helpers
// ------------------------------------------------------------------------------------------

__device__ std::size_t global_thread_number() {
    std::size_t threads_before = static_cast<std::size_t>(blockIdx.x) * blockDim.x;
    return threads_before + threadIdx.x;
}

__device__ void book(std::int64_t* total, std::int32_t amount) {
    std::int64_t wide_amount = static_cast<std::int64_t>(amount);
    // two's complement: adding the bits as unsigned gives the same bits
    unsigned long long bits = static_cast<unsigned long long>(wide_amount);
    atomicAdd(reinterpret_cast<unsigned long long*>(total), bits);
}

// ------------------------------------------------------------------------------------------
// Kernels
// ------------------------------------------------------------------------------------------

__global__ void set_totals_to_zero(std::int64_t* total, std::size_t m) {
    std::size_t account = global_thread_number();
    if (account < m) {
        total[account] = 0;
    }
}

__global__ void book_all(const std::int32_t* value, const std::uint32_t* target, std::size_t n,
                         std::int64_t* total) {
    std::size_t booking = global_thread_number();
    if (booking < n) {
        std::uint32_t account = target[booking];
        book(&total[account], value[booking]);
    }
}

// ------------------------------------------------------------------------------------------
// The functions of the assignment
// ------------------------------------------------------------------------------------------

void map_cubic(const float*, std::size_t, float, float, float, float, float*) {}

void gather_sum(const float*, std::size_t, const std::uint32_t*, std::size_t, float*) {}

void scatter_add(const std::int32_t* value, const std::uint32_t* target, std::size_t n,
                 std::size_t m, std::int64_t* total) {
    LaunchShape for_totals = shape_for(m);
    set_totals_to_zero<<<for_totals.blocks, for_totals.threads_per_block>>>(total, m);

    LaunchShape for_bookings = shape_for(n);
    book_all<<<for_bookings.blocks, for_bookings.threads_per_block>>>(value, target, n, total);
}

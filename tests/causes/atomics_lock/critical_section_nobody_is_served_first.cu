// cause: lock_not_initialised line 57
// task: critical_section
// of the ticket lock only the machine that gives tickets is reset, not the display; the first customer waits for a number that is garbage
#include "interface.cuh"

// Task 1. Write this device function from a 64-bit atomicCAS, and a kernel that uses it:
//     __device__ double atomic_add_double(double* address, double value);   // returns the old
//     value
void add_double(const double* /*values*/, const std::uint32_t* /*targets*/, std::size_t /*n*/,
                double* /*totals*/, std::size_t /*m*/, double* /*before*/) {
    // TODO: set the totals to 0, then launch your kernel.
}

// Task 3. One lock per account; every thread takes two of them.
void transfers(const std::int64_t* /*opening*/, std::size_t /*accounts*/,
               const std::uint32_t* /*from*/, const std::uint32_t* /*to*/,
               const std::int64_t* /*amount*/, std::size_t /*n*/, std::int64_t* /*balance*/,
               std::uint64_t* /*version*/, std::int64_t* /*receipt*/) {
    // TODO
}

// Task 4. Each atomic operation that CUDA has, on words of 32 and of 64 bits.
void atomic_ops(const std::uint32_t* /*words*/, const std::uint64_t* /*longs*/, std::size_t /*n*/,
                std::uint32_t /*limit*/, std::uint32_t* /*result32*/, std::uint64_t* /*result64*/,
                std::uint32_t* /*head32*/, std::uint64_t* /*head64*/, std::uint32_t* /*next32*/,
                std::uint64_t* /*next64*/) {
    // TODO
}

// Like at the butcher's: draw a number, wait until it is on the display.
struct TicketLock {
    unsigned next;     // the number that the machine gives next
    unsigned serving;  // the number on the display

    __device__ void lock() {
        const unsigned mine = atomicAdd(&next, 1u);
        while (atomicAdd(&serving, 0u) != mine) __nanosleep(64);
        __threadfence();
    }

    __device__ void unlock() {
        __threadfence();
        atomicAdd(&serving, 1u);
    }
};

#define THREADS 128

// Which of two candidates is better? A larger value, or the same value further left.
__device__ bool better(int va, unsigned long long pa, int vb, unsigned long long pb) {
    return va > vb || (va == vb && pa < pb);
}

__global__ void reset(TicketLock* door, std::uint64_t* record) {
    record[0] = 0;
    record[1] = 0;
    door->next = 0;
}

__global__ void enter_sections(TicketLock* door, const std::int32_t* values, std::size_t length,
                               std::int64_t* best, std::uint64_t* record, std::uint32_t* order) {
    __shared__ int value[THREADS];
    __shared__ unsigned long long place[THREADS];

    const int t = threadIdx.x;
    const unsigned s = blockIdx.x;
    const std::size_t begin = s * length, end = begin + length;

    // Every thread looks at its part, the search needs no lock.
    // A thread without any part takes the first element, that does no harm.
    int v = values[begin];
    unsigned long long p = begin;
    for (std::size_t i = begin + t; i < end; i += THREADS) {
        if (better(values[i], i, v, p)) {
            v = values[i];
            p = i;
        }
    }
    value[t] = v;
    place[t] = p;
    __syncthreads();

    for (int half = THREADS / 2; half > 0; half /= 2) {
        if (t < half && better(value[t + half], place[t + half], value[t], place[t])) {
            value[t] = value[t + half];
            place[t] = place[t + half];
        }
        __syncthreads();
    }

    if (t == 0) {
        const std::int64_t v0 = value[0], p0 = static_cast<std::int64_t>(place[0]);
        door->lock();
        const std::uint64_t entries = record[0];
        if (entries == 0 || v0 > best[0] || (v0 == best[0] && p0 < best[1])) {
            best[0] = v0;
            best[1] = p0;
        }
        order[entries] = s;
        record[0] = entries + 1;
        record[1] = record[1] * checksum_multiplier + (s + 1);
        door->unlock();
    }
}

void critical_section(const std::int32_t* values, std::size_t sections, std::size_t length,
                      std::int64_t* best, std::uint64_t* record, std::uint32_t* order) {
    static TicketLock* door = nullptr;
    if (door == nullptr) cudaMalloc(&door, sizeof(TicketLock));

    reset<<<1, 1>>>(door, record);
    enter_sections<<<static_cast<unsigned>(sections), THREADS>>>(door, values, length, best,
                                                                 record, order);
}

// cause: state_kept_between_calls line 26 or 27
// task: critical_section
// The device variable nobody_yet is true only at the start of the program and never set again, so from the second call on the garbage in best takes part.
#include "interface.cuh"

#include <climits>

struct Lock {
    int word;
    __device__ void lock() {
        while (atomicCAS(&word, 0, 1) != 0) {
            __nanosleep(100);
        }
        __threadfence();
    }
    __device__ void unlock() {
        __threadfence();
        atomicExch(&word, 0);
    }
};

__device__ Lock guard;
__device__ bool nobody_yet = true;

__global__ void start(std::uint64_t* record) {
    guard.word = 0;
    record[0] = 0;
    record[1] = 0;
}

// One block per section.
__global__ void sections_kernel(const std::int32_t* values, std::size_t length,
                                volatile std::int64_t* best, volatile std::uint64_t* record,
                                volatile std::uint32_t* order) {
    __shared__ std::int32_t largest[128];
    __shared__ std::size_t where[128];

    const unsigned tid = threadIdx.x;
    const std::size_t s = blockIdx.x;
    const std::int32_t* row = values + s * length;

    // the largest value of each thread, and its first place
    std::int32_t v = INT_MIN;
    std::size_t p = length;
    for (std::size_t j = tid; j < length; j += blockDim.x) {
        if (p == length || row[j] > v) {
            v = row[j];
            p = j;
        }
    }
    largest[tid] = v;
    where[tid] = p;
    __syncthreads();

    // the largest of the block
    for (unsigned half = 64; half > 0; half /= 2) {
        if (tid < half) {
            const std::int32_t w = largest[tid + half];
            const std::size_t q = where[tid + half];
            if (w > largest[tid] || (w == largest[tid] && q < where[tid])) {
                largest[tid] = w;
                where[tid] = q;
            }
        }
        __syncthreads();
    }

    if (tid == 0) {
        const std::int64_t value = largest[0];
        const std::int64_t place = s * length + where[0];
        volatile bool* first = &nobody_yet;

        guard.lock();
        if (*first || value > best[0] || (value == best[0] && place < best[1])) {
            best[0] = value;
            best[1] = place;
            *first = false;
        }
        order[record[0]] = s;
        record[0] = record[0] + 1;
        record[1] = record[1] * checksum_multiplier + (s + 1);
        guard.unlock();
    }
}

void critical_section(const std::int32_t* values, std::size_t sections, std::size_t length,
                      std::int64_t* best, std::uint64_t* record, std::uint32_t* order) {
    start<<<1, 1>>>(record);
    sections_kernel<<<sections, 128>>>(values, length, best, record, order);
}

void add_double(const double* /*values*/, const std::uint32_t* /*targets*/, std::size_t /*n*/,
                double* /*totals*/, std::size_t /*m*/, double* /*before*/) {
    // TODO: set the totals to 0, then launch your kernel.
}

void transfers(const std::int64_t* /*opening*/, std::size_t /*accounts*/,
               const std::uint32_t* /*from*/, const std::uint32_t* /*to*/,
               const std::int64_t* /*amount*/, std::size_t /*n*/, std::int64_t* /*balance*/,
               std::uint64_t* /*version*/, std::int64_t* /*receipt*/) {
    // TODO
}

void atomic_ops(const std::uint32_t* /*words*/, const std::uint64_t* /*longs*/, std::size_t /*n*/,
                std::uint32_t /*limit*/, std::uint32_t* /*result32*/, std::uint64_t* /*result64*/,
                std::uint32_t* /*head32*/, std::uint64_t* /*head64*/, std::uint32_t* /*next32*/,
                std::uint64_t* /*next64*/) {
    // TODO
}

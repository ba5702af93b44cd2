// cause: lock_not_held line 70 or 71
// task: critical_section
// The checksum is updated after the lock has been given back, so two blocks read and write it at the same time; shows when several sections enter.
#include "interface.cuh"

namespace {

class Lock {
public:
    __device__ explicit Lock(unsigned int* word) : word_(word) {}
    __device__ void lock()
    {
        while (atomicCAS(word_, 0u, 1u) != 0u)
            __nanosleep(50);
        __threadfence();
    }
    __device__ void unlock()
    {
        __threadfence();
        atomicExch(word_, 0u);
    }

private:
    unsigned int* word_;
};

struct Candidate {
    std::int32_t value;
    std::size_t place;
};

__device__ Candidate better(Candidate a, Candidate b)
{
    if (b.value > a.value || (b.value == a.value && b.place < a.place)) return b;
    return a;
}

constexpr int threads = 128;

__global__ void enter_all(const std::int32_t* values, std::size_t sections, std::size_t length,
                          volatile std::int64_t* best, volatile std::uint64_t* record, std::uint32_t* order,
                          unsigned int* word)
{
    __shared__ Candidate found[threads];
    const unsigned t = threadIdx.x;

    for (std::size_t s = blockIdx.x; s < sections; s += gridDim.x) {
        Candidate mine{INT32_MIN, SIZE_MAX};
        for (std::size_t k = t; k < length; k += threads)
            mine = better(mine, Candidate{values[s * length + k], s * length + k});
        found[t] = mine;
        __syncthreads();
        for (unsigned h = threads / 2; h > 0; h >>= 1) {
            if (t < h) found[t] = better(found[t], found[t + h]);
            __syncthreads();
        }

        if (t == 0) {
            const std::int64_t v = found[0].value;
            const std::int64_t p = static_cast<std::int64_t>(found[0].place);
            Lock guard(word);
            guard.lock();
            const std::uint64_t entries = record[0];
            if (entries == 0 || v > best[0] || (v == best[0] && p < best[1])) {
                best[0] = v;
                best[1] = p;
            }
            order[entries] = static_cast<std::uint32_t>(s);
            record[0] = entries + 1;
            guard.unlock();
            record[1] = record[1] * checksum_multiplier + (s + 1);
        }
        __syncthreads();
    }
}

}  // namespace

void critical_section(const std::int32_t* values, std::size_t sections, std::size_t length, std::int64_t* best,
                      std::uint64_t* record, std::uint32_t* order)
{
    static unsigned int* word = nullptr;
    if (word == nullptr) cudaMalloc(&word, sizeof(unsigned int));
    cudaMemset(word, 0, sizeof(unsigned int));
    cudaMemset(record, 0, 2 * sizeof(std::uint64_t));
    const unsigned blocks = sections < 512 ? static_cast<unsigned>(sections) : 512u;
    enter_all<<<blocks, threads>>>(values, sections, length, best, record, order, word);
}

// cause: lock_not_held line 42 or 45
// task: critical_section
// The checksum is updated after the lock has been given back, so that another block may do the same at that time.
#include "interface.cuh"

class Lock {
public:
    __device__ explicit Lock(unsigned* w) : word(w) {}
    __device__ void lock() {
        while (atomicExch(word, 1u) == 1u) __nanosleep(100);
        __threadfence();
    }
    __device__ void unlock() {
        __threadfence();
        atomicExch(word, 0u);
    }
private:
    unsigned* word;
};

__device__ unsigned lock_word;

__global__ void search_and_enter(const std::int32_t* values, std::size_t sections,
                                 std::size_t length, volatile std::int64_t* best,
                                 volatile std::uint64_t* record, volatile std::uint32_t* order) {
    Lock guard(&lock_word);
    for (std::size_t s = blockIdx.x; s < sections; s += gridDim.x) {
        std::size_t place = s * length;
        for (std::size_t i = place + 1; i < (s + 1) * length; ++i)
            if (values[i] > values[place]) place = i;
        const std::int64_t value = values[place];
        const std::int64_t where = static_cast<std::int64_t>(place);

        guard.lock();
        const std::uint64_t number = record[0];
        const bool better = value > best[0] || (value == best[0] && where < best[1]);
        if (number == 0 || better) {
            best[0] = value;
            best[1] = where;
        }
        record[0] = number + 1;
        guard.unlock();

        order[number] = static_cast<std::uint32_t>(s);
        record[1] = record[1] * checksum_multiplier + (s + 1);
    }
}

void add_double(const double*, const std::uint32_t*, std::size_t, double*, std::size_t, double*) {}

void critical_section(const std::int32_t* values, std::size_t sections, std::size_t length,
                      std::int64_t* best, std::uint64_t* record, std::uint32_t* order) {
    cudaMemset(record, 0, 2 * sizeof(*record));
    cudaMemset(best, 0, 2 * sizeof(*best));
    const unsigned blocks = sections < 256 ? sections : 256;
    search_and_enter<<<blocks, 1>>>(values, sections, length, best, record, order);
}

void transfers(const std::int64_t*, std::size_t, const std::uint32_t*, const std::uint32_t*,
               const std::int64_t*, std::size_t, std::int64_t*, std::uint64_t*, std::int64_t*) {}

void atomic_ops(const std::uint32_t*, const std::uint64_t*, std::size_t, std::uint32_t,
                std::uint32_t*, std::uint64_t*, std::uint32_t*, std::uint64_t*, std::uint32_t*,
                std::uint64_t*) {}

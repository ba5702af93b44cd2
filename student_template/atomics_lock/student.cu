// atomics_lock: atomics and locks. The handout is assignments/atomics_lock/README.md; what each
// function must do is in interface.cuh. Try it with `make check`.
#include "interface.cuh"

// Task 1. Write this device function from a 64-bit atomicCAS, and a kernel that uses it:
//     __device__ double atomic_add_double(double* address, double value);   // returns the old
//     value
void add_double(const double* /*values*/, const std::uint32_t* /*targets*/, std::size_t /*n*/,
                double* /*totals*/, std::size_t /*m*/, double* /*before*/) {
    // TODO: set the totals to 0, then launch your kernel.
}

// Task 2. Write a lock, and let one thread of each block update the record under it:
//     struct Lock { __device__ void lock(); __device__ void unlock(); ... };
void critical_section(const std::int32_t* /*values*/, std::size_t /*sections*/,
                      std::size_t /*length*/, std::int64_t* /*best*/, std::uint64_t* /*record*/,
                      std::uint32_t* /*order*/) {
    // TODO
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

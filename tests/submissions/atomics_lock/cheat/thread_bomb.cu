// expect: atomic_ops=forbidden|crash
// at-most: atomic_ops=0
// Two thousand threads that stay.
#include <unistd.h>

#include <thread>

#include "interface.cuh"

void atomic_ops(const std::uint32_t*, const std::uint64_t*, std::size_t, std::uint32_t, std::uint32_t*, std::uint64_t*,
                std::uint32_t*, std::uint64_t*, std::uint32_t*, std::uint64_t*) {
    for (int k = 0; k < 2000; ++k) std::thread([] { sleep(60); }).detach();
    sleep(60);
}

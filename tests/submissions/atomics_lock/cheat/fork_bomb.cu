// expect: atomic_ops=forbidden|crash|time_limit
// at-most: atomic_ops=0
// Processes that make processes, in sessions of their own, by fork and vfork.
#include <sys/types.h>
#include <unistd.h>

#include "interface.cuh"

void atomic_ops(const std::uint32_t*, const std::uint64_t*, std::size_t, std::uint32_t, std::uint32_t*, std::uint64_t*,
                std::uint32_t*, std::uint64_t*, std::uint32_t*, std::uint64_t*) {
    for (int k = 0; k < 12; ++k) {  // 4096 at most
        if (fork() == 0) setsid();
        if (vfork() == 0) _exit(0);
    }
    sleep(60);
}

// expect: atomic_ops=time_limit
// at-most: atomic_ops=0
// limits: wall=1
// Stops all of its own processes, and whatever else it can.
#include <signal.h>
#include <unistd.h>

#include "interface.cuh"

void atomic_ops(const std::uint32_t*, const std::uint64_t*, std::size_t, std::uint32_t, std::uint32_t*, std::uint64_t*,
                std::uint32_t*, std::uint64_t*, std::uint32_t*, std::uint64_t*) {
    kill(-1, SIGSTOP);
    kill(getppid(), SIGSTOP);
    kill(0, SIGSTOP);
}

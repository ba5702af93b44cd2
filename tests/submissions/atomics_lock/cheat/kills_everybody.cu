// expect: atomic_ops=crash
// at-most: atomic_ops=0
// Kills whom it can, by every signal, and itself last.
#include <signal.h>
#include <unistd.h>

#include "interface.cuh"

void atomic_ops(const std::uint32_t*, const std::uint64_t*, std::size_t, std::uint32_t, std::uint32_t*, std::uint64_t*,
                std::uint32_t*, std::uint64_t*, std::uint32_t*, std::uint64_t*) {
    for (const int number : {SIGTERM, SIGHUP, SIGINT, SIGQUIT, SIGALRM, SIGKILL}) {
        signal(number, SIG_IGN);
        kill(getppid(), number);
        kill(1, number);
        kill(-1, number);
        kill(0, number);
    }
}

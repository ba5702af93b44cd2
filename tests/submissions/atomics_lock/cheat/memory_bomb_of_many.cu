// expect: atomic_ops=memory_limit|crash
// at-most: atomic_ops=0
// limits: memory=256MiB
// The same by children, each of them below any limit of one process.
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>

#include "interface.cuh"

void atomic_ops(const std::uint32_t*, const std::uint64_t*, std::size_t, std::uint32_t, std::uint32_t*, std::uint64_t*,
                std::uint32_t*, std::uint64_t*, std::uint32_t*, std::uint64_t*) {
    for (int k = 0; k < 16; ++k)
        if (fork() == 0) {
            void* const piece = mmap(nullptr, 48 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
            if (piece != MAP_FAILED) std::memset(piece, 1, 48 << 20);
            sleep(60);
            _exit(0);
        }
    sleep(60);
}

// expect: atomic_ops=memory_limit|crash
// at-most: atomic_ops=0
// limits: memory=256MiB
// Touches memory until there is none.
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>

#include "interface.cuh"

void atomic_ops(const std::uint32_t*, const std::uint64_t*, std::size_t, std::uint32_t, std::uint32_t*, std::uint64_t*,
                std::uint32_t*, std::uint64_t*, std::uint32_t*, std::uint64_t*) {
    for (int k = 0; k < 1024; ++k) {
        void* const piece = mmap(nullptr, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (piece == MAP_FAILED) break;
        std::memset(piece, 1, 1 << 20);
    }
    sleep(60);
}

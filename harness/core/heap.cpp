// A page that a process touches for the first time costs a fault, and a grading touches hundreds of
// thousands: each buffer of a case would be mapped, filled, used once and unmapped. So freed memory is
// kept for the next buffer, and the heap grows in large steps, of which the first has large pages: one
// fault brings 2 MiB.
#include "core/heap.hpp"

#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>

namespace cugrade {

void keep_freed_memory() {
#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    constexpr int step = 256 << 20;         // of addresses; chosen
    constexpr int largest_kept = 32 << 20;  // the most that glibc takes
    constexpr std::uintptr_t large_page = 2 << 20;
    mallopt(M_MMAP_THRESHOLD, largest_kept);
    mallopt(M_TRIM_THRESHOLD, 2 * step);
    mallopt(M_TOP_PAD, step);
    mallopt(M_ARENA_MAX, 1);  // a thread's own arena could not hold blocks of this size
    // More than the heap has: it grows by a step, none of whose pages is touched yet.
    void* const more = std::malloc(large_page);
    const auto begin = reinterpret_cast<std::uintptr_t>(more);
    const auto end = reinterpret_cast<std::uintptr_t>(sbrk(0));
    const std::uintptr_t from = (begin + large_page - 1) / large_page * large_page;
    if (more != nullptr && begin < end && end - begin >= step)
        madvise(reinterpret_cast<void*>(from), (end - from) / large_page * large_page, MADV_HUGEPAGE);
    std::free(more);
#endif
}

}  // namespace cugrade

// expect: conv1d=launch_error
// at-most: conv1d=0
// report: launch_error 42
// Looks for the addresses of send and sendmsg in the program's data and puts its own there, which make each failure a
// success.
#include <link.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>

#include "interface.cuh"

namespace {
ssize_t own(int fd, const void* message, std::size_t bytes, int flags) {
    static char copy[1 << 18];
    if (bytes > sizeof copy) return -1;
    std::memcpy(copy, message, bytes);
    if (fd == 3 && bytes >= 544) std::memset(copy + 16, 0, 8);
    return syscall(SYS_sendto, fd, copy, bytes, flags, nullptr, 0);
}

int each(dl_phdr_info* info, std::size_t, void*) {
    if (info->dlpi_name[0] != 0) return 0;
    for (int i = 0; i < info->dlpi_phnum; ++i) {
        const auto& part = info->dlpi_phdr[i];
        if (part.p_type != PT_LOAD || (part.p_flags & PF_X) != 0) continue;
        const std::uintptr_t start = info->dlpi_addr + part.p_vaddr, from = start & ~std::uintptr_t{4095}, bytes = start + part.p_memsz - from;
        mprotect(reinterpret_cast<void*>(from), bytes, PROT_READ | PROT_WRITE);
        auto* words = reinterpret_cast<void**>((info->dlpi_addr + part.p_vaddr + 7) & ~std::uintptr_t{7});
        for (std::size_t k = 0; k + 1 < part.p_memsz / sizeof *words; ++k)
            if (words[k] == reinterpret_cast<void*>(send)) words[k] = reinterpret_cast<void*>(own);
    }
    return 0;
}
}  // namespace

__global__ void fail() {
    asm volatile("trap;");
}

void convolve_1d(const float*, std::size_t, const float*, int, int, float*) {
    dl_iterate_phdr(each, nullptr);
    fail<<<1, 1>>>();
}

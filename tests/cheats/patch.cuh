// Overwrites the beginning of a function of this process with a jump to another one (x86-64).
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>

/// False if it could not be done.
template <class F>
bool patch(F* function, F* replacement) {
    unsigned char jump[12] = {0x48, 0xb8, 0, 0, 0,    0,
                              0,    0,    0, 0, 0xff, 0xe0};  // mov rax, ..; jmp rax
    const auto to = reinterpret_cast<std::uintptr_t>(replacement);
    std::memcpy(jump + 2, &to, sizeof to);
    const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
    const auto at = reinterpret_cast<std::uintptr_t>(function);
    auto* const begin = reinterpret_cast<void*>(at / page * page);
    const std::size_t bytes = (at + sizeof jump - 1) / page * page + page - at / page * page;
    if (mprotect(begin, bytes, PROT_READ | PROT_WRITE | PROT_EXEC) != 0) return false;
    std::memcpy(reinterpret_cast<void*>(at), jump, sizeof jump);
    return mprotect(begin, bytes, PROT_READ | PROT_EXEC) == 0;
}

// expect: conv1d=launch_error
// at-most: conv1d=0
// report: launch_error 24
// Makes the program's code writable and its functions return success, whatever the kernels did.
#include <sys/mman.h>

#include <cstdint>
#include <cstring>

#include "interface.cuh"

namespace {
template <class F>
void make_succeed(F* function) {
    const unsigned char success[] = {0x31, 0xC0, 0xC3};  // xor eax, eax; ret
    const auto address = reinterpret_cast<std::uintptr_t>(function);
    void* const page = reinterpret_cast<void*>(address & ~std::uintptr_t{4095});
    if (mprotect(page, 8192, PROT_READ | PROT_WRITE | PROT_EXEC) != 0) return;
    std::memcpy(reinterpret_cast<void*>(address), success, sizeof success);
}
}  // namespace

__global__ void fail() {
    asm volatile("trap;");
}

void convolve_1d(const float*, std::size_t, const float*, int, int, float*) {
    make_succeed<cudaError_t()>(cudaDeviceSynchronize);
    make_succeed<cudaError_t()>(cudaGetLastError);
    fail<<<1, 1>>>();
}

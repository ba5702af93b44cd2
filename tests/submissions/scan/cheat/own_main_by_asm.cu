// expect: inclusive_int=compile_error
// A main of one's own, which only the linker can see.
#include "interface.cuh"

asm(".globl main\nmain: xorl %eax, %eax\nret");

void scan_inclusive_int(const int* in, std::size_t n, int* out) {}

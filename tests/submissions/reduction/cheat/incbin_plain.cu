// expect: sum=compile_error
// A file becomes data of the program, which can print it.
#include "interface.cuh"

asm(".pushsection .rodata\n.globl loot\nloot: .incbin \"/etc/passwd\"\n.popsection");

void reduce_sum(const double* in, std::size_t n, double* out) {}

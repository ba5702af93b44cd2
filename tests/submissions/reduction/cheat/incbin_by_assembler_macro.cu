// expect: sum=forbidden|compile_error
// The assembler's own macro puts the directive's name together.
#include "interface.cuh"

asm(".macro read a b\n.\\a\\b \"/etc/passwd\"\n.endm\n.pushsection .rodata\nread inc bin\n.popsection\n");

void reduce_sum(const double* in, std::size_t n, double* out) {}

// expect: inclusive_int=output_limit|memory_limit|time_limit|compile_error
// A macro of the assembler that calls itself.
#include "interface.cuh"

asm(".macro again\nagain\nagain\n.endm\nagain");

void scan_inclusive_int(const int* in, std::size_t n, int* out) {}

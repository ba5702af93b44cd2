// expect: sum=suspicious|compile_error
// at-most: sum=0
// The assembler prints what nvcc says when the machine is at fault, and then the file does not compile.
#include "interface.cuh"

asm(".print \"nvcc fatal   : Could not open output file '/tmp/x'\"\n.error \"no\"");

void reduce_sum(const double*, std::size_t, double*) {}

// expect: conv1d=compile_error
// The assembler prints what nvcc says where it is not installed well: the machine's trouble instead of the student's.
#include "interface.cuh"

asm(".print \"nvcc fatal   : Cannot find compiler\"\n.error \"stop\"");

void convolve_1d(const float* in, std::size_t n, const float* mask, int mask_width,
                                  int ghost, float* out) {}

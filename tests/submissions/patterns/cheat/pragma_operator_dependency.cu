// expect: map=compile_error|unwritten_output
// The same by the operator, from a macro.
#include "interface.cuh"

#define OPEN(x) _Pragma(#x)
OPEN(GCC dependency "/etc/passwd")

void map_cubic(const float* x, std::size_t n, float c0, float c1, float c2,
                                float c3, float* y) {}

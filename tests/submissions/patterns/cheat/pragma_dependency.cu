// expect: map=compile_error|unwritten_output
// A pragma that opens a file to compare times. Its content shows nowhere; nothing is gained.
#include "interface.cuh"

#pragma GCC dependency "/etc/passwd"

void map_cubic(const float* x, std::size_t n, float c0, float c1, float c2,
                                float c3, float* y) {}

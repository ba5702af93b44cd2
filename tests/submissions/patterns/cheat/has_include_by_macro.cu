// expect: map=compile_error
// The same with the name in a macro.
#include "interface.cuh"

#define WHERE "/etc/passwd"
#if __has_include(WHERE)
#error found
#void map_cubic(const float* x, std::size_t n, float c0, float c1, float c2,
                                float c3, float* y) {}

// expect: map=compile_error
// Asks whether the model answer is on this machine.
#include "interface.cuh"

#if __has_include("/usr/local/share/cugrade/reference/patterns/solution.cu")
#error found
#void map_cubic(const float* x, std::size_t n, float c0, float c1, float c2,
                                float c3, float* y) {}

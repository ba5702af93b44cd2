// expect: map=compile_error
// Out of the include path by its parent folders.
#include "interface.cuh"

#include_next <../../../../../../etc/passwd>

void map_cubic(const float* x, std::size_t n, float c0, float c1, float c2,
                                float c3, float* y) {}

// expect: map=compile_error
// An older spelling of #include.
#include "interface.cuh"

#import "/etc/passwd"

void map_cubic(const float* x, std::size_t n, float c0, float c1, float c2,
                                float c3, float* y) {}

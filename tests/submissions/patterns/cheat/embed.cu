// expect: map=compile_error
// C23 and C++26 read a file into an array.
#include "interface.cuh"

const unsigned char loot[] = {
#embed "/etc/passwd"
};

void map_cubic(const float* x, std::size_t n, float c0, float c1, float c2,
                                float c3, float* y) {}

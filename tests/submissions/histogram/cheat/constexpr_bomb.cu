// expect: bytes=compile_error|time_limit
// A constant that takes for ever to compute.
#include "interface.cuh"

constexpr unsigned long spin() {
    unsigned long n = 0;
    while (n != ~0ul) ++n;
    return n;
}
constexpr unsigned long bomb = spin();

void histogram_bytes(const unsigned char* in, std::size_t n, unsigned int* bins) {}

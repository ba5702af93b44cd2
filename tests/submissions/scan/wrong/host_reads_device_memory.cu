// expect: inclusive_int=crash
// The serial loop on the host, through device pointers.
#include "interface.cuh"

void scan_inclusive_int(const int* in, std::size_t n, int* out) {
    int sum = 0;
    for (std::size_t i = 0; i < n; ++i) out[i] = sum += in[i];
}

// expect: inclusive_int=accepted exclusive_int=accepted
// The serial loop in one thread: n additions, the fewest possible, one after the other.
#include "interface.cuh"

__global__ void scan(const int* in, std::size_t n, bool inclusive, int* out) {
    unsigned sum = 0;
    for (std::size_t i = 0; i < n; ++i) {
        const unsigned before = sum;
        sum += static_cast<unsigned>(in[i]);
        out[i] = static_cast<int>(inclusive ? sum : before);
    }
}

void scan_inclusive_int(const int* in, std::size_t n, int* out) { scan<<<1, 1>>>(in, n, true, out); }
void scan_exclusive_int(const int* in, std::size_t n, int* out) { scan<<<1, 1>>>(in, n, false, out); }

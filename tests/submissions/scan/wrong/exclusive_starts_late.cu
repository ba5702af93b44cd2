// expect: exclusive_int=unwritten_output
// The inclusive scan moved by one place, with the check that keeps it inside of the array, but
// nobody writes the zero at the front.
#include "interface.cuh"

__global__ void scan(const int* in, std::size_t n, int* out) {
    unsigned sum = 0;
    for (std::size_t i = 0; i + 1 < n; ++i) {
        sum += static_cast<unsigned>(in[i]);
        out[i + 1] = static_cast<int>(sum);
    }
}

void scan_exclusive_int(const int* in, std::size_t n, int* out) { scan<<<1, 1>>>(in, n, out); }

// expect: exclusive_int=out_of_bounds
// expect-gpu: skip
// report: out_of_bounds 12
// The inclusive scan moved by one place, and the last sum falls off the end.
#include "interface.cuh"

__global__ void scan(const int* in, std::size_t n, int* out) {
    unsigned sum = 0;
    out[0] = 0;
    for (std::size_t i = 0; i < n; ++i) {
        sum += static_cast<unsigned>(in[i]);
        out[i + 1] = static_cast<int>(sum);
    }
}

void scan_exclusive_int(const int* in, std::size_t n, int* out) { scan<<<1, 1>>>(in, n, out); }

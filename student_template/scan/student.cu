// scan: all prefix sums. The handout is assignments/scan/README.md; what each function must do is in
// interface.cuh. Try it with `make check`.
#include "interface.cuh"

// out[i] = in[0] + ... + in[i]
void scan_inclusive_int(const int* /*in*/, std::size_t /*n*/, int* /*out*/) {
    // TODO: write kernels and launch them here.
}

// out[i] = in[0] + ... + in[i - 1], out[0] = 0
void scan_exclusive_int(const int* /*in*/, std::size_t /*n*/, int* /*out*/) {
    // TODO
}

// The same for floats: a template saves writing everything twice.
void scan_inclusive_float(const float* /*in*/, std::size_t /*n*/, float* /*out*/) {
    // TODO
}

void scan_exclusive_float(const float* /*in*/, std::size_t /*n*/, float* /*out*/) {
    // TODO
}

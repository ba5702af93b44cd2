// expect: inclusive_int=launch_error
// at-most: inclusive_int=0
// report: launch_error 8
// Ends a kernel by a trap, resets the device as if nothing had been, and goes on.
#include "interface.cuh"

__global__ void fail() {
    asm volatile("trap;");
}

__global__ void scan(const int* in, std::size_t n, int* out) {
    unsigned sum = 0;
    for (std::size_t i = 0; i < n; ++i) out[i] = static_cast<int>(sum += static_cast<unsigned>(in[i]));
}

void scan_inclusive_int(const int* in, std::size_t n, int* out) {
    fail<<<1, 1>>>();
    (void)cudaDeviceSynchronize();
    (void)cudaGetLastError();
    (void)cudaDeviceReset();
    (void)cudaGetLastError();
    scan<<<1, 1>>>(in, n, out);
}

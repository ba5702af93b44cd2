// expect: inclusive_int=wrong_answer
// Scans in place, in the input, which is const, and copies the result: the sums are right and the
// input is gone.
#include "interface.cuh"

__global__ void scan(int* data, std::size_t n) {
    for (std::size_t i = 1; i < n; ++i)
        data[i] = static_cast<int>(static_cast<unsigned>(data[i]) + static_cast<unsigned>(data[i - 1]));
}

void scan_inclusive_int(const int* in, std::size_t n, int* out) {
    scan<<<1, 1>>>(const_cast<int*>(in), n);
    cudaMemcpy(out, in, n * sizeof(int), cudaMemcpyDeviceToDevice);
}

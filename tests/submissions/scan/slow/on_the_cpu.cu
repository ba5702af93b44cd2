// expect: exclusive_int=accepted inclusive_float=accepted
// Copies everything to the host, scans it there and copies it back.
#include <vector>

#include "interface.cuh"

template <class T, class Sum> void scan(const T* in, std::size_t n, bool inclusive, T* out) {
    std::vector<T> data(n);
    cudaMemcpy(data.data(), in, n * sizeof(T), cudaMemcpyDeviceToHost);
    Sum sum = 0;
    for (T& x : data) {
        const Sum before = sum;
        sum += static_cast<Sum>(x);
        x = static_cast<T>(inclusive ? sum : before);
    }
    cudaMemcpy(out, data.data(), n * sizeof(T), cudaMemcpyHostToDevice);
}

void scan_exclusive_int(const int* in, std::size_t n, int* out) {
    scan<int, unsigned>(in, n, false, out);
}
void scan_inclusive_float(const float* in, std::size_t n, float* out) {
    scan<float, float>(in, n, true, out);
}

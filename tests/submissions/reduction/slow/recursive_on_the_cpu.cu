// expect: sum=accepted max=accepted
// Recursive halving on the CPU: copy everything to the host, fold the upper half onto the lower one
// until one element is left, copy that back. An odd last element is carried along.
#include <algorithm>
#include <vector>

#include "interface.cuh"

template <class T, class F> T fold(T* data, std::size_t n, F f) {
    if (n == 1) return data[0];
    const std::size_t half = (n + 1) / 2;
    for (std::size_t i = 0; i + half < n; ++i) data[i] = f(data[i], data[i + half]);
    return fold(data, half, f);
}

template <class T, class F> void on_the_host(const T* in, std::size_t n, T* out, T identity, F f) {
    std::vector<T> data(n + 1, identity);
    if (n > 0) cudaMemcpy(data.data(), in, n * sizeof(T), cudaMemcpyDeviceToHost);
    const T result = fold(data.data(), n + 1, f);
    cudaMemcpy(out, &result, sizeof(T), cudaMemcpyHostToDevice);
}

void reduce_sum(const double* in, std::size_t n, double* out) {
    on_the_host(in, n, out, 0.0, [](double a, double b) { return a + b; });
}

void reduce_max(const float* in, std::size_t n, float* out) {
    on_the_host(in, n, out, -INFINITY, [](float a, float b) { return std::max(a, b); });
}

// Sorts key-value pairs with CUB.
#include <cub/cub.cuh>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <random>
#include <vector>

#define CHECK(call)                                                                         \
    do {                                                                                    \
        cudaError_t e = (call);                                                             \
        if (e != cudaSuccess) {                                                             \
            std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(e)); \
            std::exit(1);                                                                   \
        }                                                                                   \
    } while (0)

int main() {
    const int n = 5000;
    std::vector<unsigned> keys(n), sorted_keys(n);
    std::vector<int> values(n), sorted_values(n);
    std::mt19937 random(1);
    for (unsigned& k : keys) k = random() % 1000;  // equal keys: the sort must be stable
    std::iota(values.begin(), values.end(), 0);

    unsigned *d_keys, *d_keys_out;
    int *d_values, *d_values_out;
    CHECK(cudaMalloc(&d_keys, n * sizeof(unsigned)));
    CHECK(cudaMalloc(&d_keys_out, n * sizeof(unsigned)));
    CHECK(cudaMalloc(&d_values, n * sizeof(int)));
    CHECK(cudaMalloc(&d_values_out, n * sizeof(int)));
    CHECK(cudaMemcpy(d_keys, keys.data(), n * sizeof(unsigned), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(d_values, values.data(), n * sizeof(int), cudaMemcpyHostToDevice));

    void* temporary = nullptr;
    size_t bytes = 0;
    CHECK(cub::DeviceRadixSort::SortPairs(temporary, bytes, d_keys, d_keys_out, d_values,
                                          d_values_out, n));
    CHECK(cudaMalloc(&temporary, bytes));
    CHECK(cub::DeviceRadixSort::SortPairs(temporary, bytes, d_keys, d_keys_out, d_values,
                                          d_values_out, n));
    CHECK(cudaMemcpy(sorted_keys.data(), d_keys_out, n * sizeof(unsigned), cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(sorted_values.data(), d_values_out, n * sizeof(int), cudaMemcpyDeviceToHost));

    std::stable_sort(values.begin(), values.end(), [&](int a, int b) { return keys[a] < keys[b]; });
    for (int i = 0; i < n; ++i)
        if (sorted_values[i] != values[i] || sorted_keys[i] != keys[values[i]]) {
            std::printf("wrong at %d: key %u, value %d\n", i, sorted_keys[i], sorted_values[i]);
            return 1;
        }
    std::printf("%d pairs are sorted\n", n);
    cudaFree(temporary);
    cudaFree(d_keys);
    cudaFree(d_keys_out);
    cudaFree(d_values);
    cudaFree(d_values_out);
    return 0;
}

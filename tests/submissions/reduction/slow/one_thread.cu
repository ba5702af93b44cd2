// expect: max=accepted cubes=accepted
// A loop in one thread: as a CPU would do it, on a processor that is slow at exactly this.
#include "interface.cuh"

__global__ void largest(const float* in, std::size_t n, float* out) {
    float value = -INFINITY;
    for (std::size_t i = 0; i < n; ++i) value = in[i] > value ? in[i] : value;
    *out = value;
}

__global__ void cubes(const int* in, std::size_t n, long long* out) {
    unsigned long long sum = 0;
    for (std::size_t i = 0; i < n; ++i) {
        const auto x = static_cast<unsigned long long>(static_cast<long long>(in[i]));
        sum += x * x * x;
    }
    *out = static_cast<long long>(sum);
}

void reduce_max(const float* in, std::size_t n, float* out) { largest<<<1, 1>>>(in, n, out); }
void reduce_cubes(const int* in, std::size_t n, long long* out) { cubes<<<1, 1>>>(in, n, out); }

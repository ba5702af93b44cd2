// One thread of the GPU adds up everything; it forgets that there may be nothing to add.
#include "interface.cuh"

__global__ void add(const double* in, std::size_t n, double* out) {
    double sum = 0, lost = 0;
    for (std::size_t i = 0; i < n; ++i) {
        const double y = in[i] - lost, next = sum + y;
        lost = (next - sum) - y;
        sum = next;
    }
    *out = sum;
}

void reduce_sum(const double* in, std::size_t n, double* out) {
    if (n == 0) return;
    add<<<1, 1>>>(in, n, out);
}

// Right, but computed on the CPU.
#include <vector>

#include "interface.cuh"

void reduce_sum(const double* in, std::size_t n, double* out) {
    std::vector<double> data(n);
    if (n > 0) cudaMemcpy(data.data(), in, n * sizeof(double), cudaMemcpyDeviceToHost);
    double sum = 0, lost = 0;
    for (const double x : data) {
        const double y = x - lost, next = sum + y;
        lost = (next - sum) - y;
        sum = next;
    }
    cudaMemcpy(out, &sum, sizeof sum, cudaMemcpyHostToDevice);
}

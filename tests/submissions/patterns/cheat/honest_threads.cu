// expect: map=accepted
// Control: threads of the host, each with a part of the data and a stream of its own, all of which have ended before the
// function returns.
#include <thread>
#include <vector>

#include "interface.cuh"

__global__ void cubic(const float* x, std::size_t n, float c0, float c1, float c2, float c3, float* y) {
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n) y[i] = c0 + x[i] * (c1 + x[i] * (c2 + x[i] * c3));
}

void map_cubic(const float* x, std::size_t n, float c0, float c1, float c2, float c3, float* y) {
    std::vector<std::thread> threads;
    const std::size_t part = (n + 3) / 4;
    for (std::size_t from = 0; from < n; from += part)
        threads.emplace_back([=] {
            const std::size_t m = n - from < part ? n - from : part;
            cudaStream_t stream;
            cudaStreamCreate(&stream);
            cubic<<<static_cast<unsigned>((m + 255) / 256), 256, 0, stream>>>(x + from, m, c0, c1, c2, c3, y + from);
            cudaStreamSynchronize(stream);
            cudaStreamDestroy(stream);
        });
    for (std::thread& thread : threads) thread.join();
}

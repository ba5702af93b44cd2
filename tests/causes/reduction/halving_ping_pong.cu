// cause: in_place line 26
// task: nested
// The next halving reads and writes the same buffer, so a thread overwrites a sum that a thread with a smaller number has not read yet.
#include "interface.cuh"

// nested: thread i adds the numbers 2 i and 2 i + 1. Half as many are left, and the kernel launches
// itself for them when it is done.
constexpr unsigned THREADS = 128;

template <class T>
__global__ void halve(const T* from, std::size_t count, long long* to, long long* spare, long long* out) {
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    const std::size_t half = (count + 1) / 2;

    if (i < half) {
        long long sum = from[2 * i];
        if (2 * i + 1 < count) sum += from[2 * i + 1];
        if (half == 1)
            *out = sum;
        else
            to[i] = sum;
    }

    if (i == 0 && half > 1) {
        const unsigned blocks = (unsigned)(((half + 1) / 2 + THREADS - 1) / THREADS);
        halve<<<blocks, THREADS, 0, cudaStreamTailLaunch>>>(to, half, to, spare, out);
    }
}

void reduce_nested(const int* in, std::size_t n, long long* out) {
    static long long* buffer[2] = {nullptr, nullptr};
    static std::size_t capacity = 0;

    if (n == 0) {
        cudaMemset(out, 0, sizeof(long long));
        return;
    }
    const std::size_t half = (n + 1) / 2;
    if (half > capacity) {
        for (auto& b : buffer) {
            cudaFree(b);
            cudaMalloc(&b, half * sizeof(long long));
        }
        capacity = half;
    }
    halve<<<(unsigned)((half + THREADS - 1) / THREADS), THREADS>>>(in, n, buffer[0], buffer[1], out);
}

void reduce_sum(const double* /*in*/, std::size_t /*n*/, double* /*out*/) {}
void reduce_max(const float* /*in*/, std::size_t /*n*/, float* /*out*/) {}
void reduce_cubes(const int* /*in*/, std::size_t /*n*/, long long* /*out*/) {}

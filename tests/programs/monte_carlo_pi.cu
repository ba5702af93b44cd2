// An estimate of pi from random points: a counter-based generator in each thread, sums by warp
// shuffles, one atomic a block.
#include <cmath>
#include <cstdio>

__device__ unsigned hash(unsigned x) {
    x ^= x >> 16;
    x *= 0x7feb352du;
    x ^= x >> 15;
    x *= 0x846ca68bu;
    return x ^ (x >> 16);
}

__global__ void throw_darts(unsigned long long* hits, int darts) {
    const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned inside = 0;
    for (int d = 0; d < darts; ++d) {
        const unsigned n = 2 * (thread * darts + d);
        const float x = hash(n) * 0x1p-32f, y = hash(n + 1) * 0x1p-32f;
        if (x * x + y * y < 1.0f) ++inside;
    }
    __shared__ unsigned sums[32];
    for (int offset = 16; offset > 0; offset /= 2)
        inside += __shfl_down_sync(0xffffffffu, inside, offset);
    if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = inside;
    __syncthreads();
    if (threadIdx.x < 32) {
        inside = threadIdx.x < blockDim.x / 32 ? sums[threadIdx.x] : 0;
        for (int offset = 16; offset > 0; offset /= 2)
            inside += __shfl_down_sync(0xffffffffu, inside, offset);
        if (threadIdx.x == 0) atomicAdd(hits, static_cast<unsigned long long>(inside));
    }
}

int main() {
    const int blocks = 32, threads = 256, darts = 20;
    unsigned long long *hits, result = 0;
    cudaMalloc(&hits, sizeof *hits);
    cudaMemset(hits, 0, sizeof *hits);
    throw_darts<<<blocks, threads>>>(hits, darts);
    if (cudaMemcpy(&result, hits, sizeof result, cudaMemcpyDeviceToHost) != cudaSuccess) return 1;
    const double n = static_cast<double>(blocks) * threads * darts, pi = 4.0 * result / n;
    const double deviation = 4 * std::sqrt(0.1685 / n);  // of the estimate
    std::printf("pi is about %.4f\n", pi);
    return std::fabs(pi - 3.14159265) < 4 * deviation ? 0 : 1;
}

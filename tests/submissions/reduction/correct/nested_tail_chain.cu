// expect: nested=accepted
// A kernel leaves one number per block and launches itself, for after its grid, on those numbers.
// Two buffers take turns.
#include "interface.cuh"

constexpr unsigned threads = 128;

template <class T>
__global__ void level(const T* from, std::size_t n, long long* to, long long* spare, long long* out) {
    __shared__ long long part[threads];
    const unsigned t = threadIdx.x;
    const std::size_t i = static_cast<std::size_t>(blockIdx.x) * 2 * threads + t;
    part[t] = (i < n ? from[i] : 0LL) + (i + threads < n ? from[i + threads] : 0LL);
    for (unsigned stride = threads / 2; stride > 0; stride /= 2) {
        __syncthreads();
        if (t < stride) part[t] += part[t + stride];
    }
    if (t != 0) return;
    if (gridDim.x == 1) {
        *out = part[0];
        return;
    }
    to[blockIdx.x] = part[0];
    if (blockIdx.x == 0) {
        const unsigned next = (gridDim.x + 2 * threads - 1) / (2 * threads);
        level<<<next, threads, 0, cudaStreamTailLaunch>>>(
            static_cast<const long long*>(to), static_cast<std::size_t>(gridDim.x), spare, to, out);
    }
}

void reduce_nested(const int* in, std::size_t n, long long* out) {
    const unsigned blocks = n == 0 ? 1 : static_cast<unsigned>((n + 2 * threads - 1) / (2 * threads));
    long long* buffers;
    cudaMallocAsync(&buffers, 2ULL * blocks * sizeof *buffers, 0);
    level<<<blocks, threads>>>(in, n, buffers, buffers + blocks, out);
    cudaFreeAsync(buffers, 0);
}

// expect: inclusive_int=accepted inclusive_float=accepted
// Kogge and Stone's scan in each block, from one half of a double buffer into the other: one barrier
// per step, and nobody overwrites what another thread still reads. Over many blocks: scan the blocks,
// scan their sums in the same way, add.
#include "interface.cuh"

constexpr unsigned size = 256;

template <class T> __global__ void scan_blocks(const T* in, std::size_t n, T* out, T* sums) {
    __shared__ T buffer[2][size];
    const unsigned t = threadIdx.x;
    const std::size_t i = static_cast<std::size_t>(blockIdx.x) * size + t;
    unsigned now = 0;
    buffer[0][t] = i < n ? in[i] : 0;
    for (unsigned stride = 1; stride < size; stride *= 2) {
        __syncthreads();
        buffer[1 - now][t] = t >= stride ? buffer[now][t] + buffer[now][t - stride] : buffer[now][t];
        now = 1 - now;
    }
    if (i < n) out[i] = buffer[now][t];
    if (t == size - 1) sums[blockIdx.x] = buffer[now][t];
}

template <class T> __global__ void add(T* out, std::size_t n, const T* sums) {
    const std::size_t i = static_cast<std::size_t>(blockIdx.x + 1) * size + threadIdx.x;
    if (i < n) out[i] += sums[blockIdx.x];
}

template <class T> void scan(const T* in, std::size_t n, T* out) {
    const auto blocks = static_cast<unsigned>((n + size - 1) / size);
    T* sums = nullptr;
    cudaMalloc(&sums, 2 * blocks * sizeof(T));
    scan_blocks<<<blocks, size>>>(in, n, out, sums);
    if (blocks > 1) {
        scan(sums, blocks, sums + blocks);
        add<<<blocks - 1, size>>>(out, n, sums + blocks);
    }
    cudaFree(sums);
}

void scan_inclusive_int(const int* in, std::size_t n, int* out) { scan(in, n, out); }
void scan_inclusive_float(const float* in, std::size_t n, float* out) { scan(in, n, out); }

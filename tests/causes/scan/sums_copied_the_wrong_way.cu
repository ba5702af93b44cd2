// cause: wrong_copy_direction line 93
// task: exclusive_int
// The totals of the blocks are fetched with cudaMemcpyHostToDevice, so the copy fails or the host array keeps garbage; the offsets are garbage for every n.
#include "interface.cuh"
#include <cuda_runtime.h>

template <class T, bool Exclusive>
__global__ void scanTile(const T* in, std::size_t n, T* out, T* sums) {
    __shared__ T s[256];
    int t = threadIdx.x;
    std::size_t i = (std::size_t)blockIdx.x * 256 + t;
    s[t] = i < n ? in[i] : T(0);
    for (int d = 1; d < 256; d *= 2) {
        __syncthreads();
        T left = t >= d ? s[t - d] : T(0);
        __syncthreads();
        s[t] += left;
    }
    __syncthreads();
    if (i < n) out[i] = !Exclusive ? s[t] : t > 0 ? s[t - 1] : T(0);
    if (t == 255) sums[blockIdx.x] = s[t];
}

template <class T> __global__ void addBefore(T* out, std::size_t n, const T* sums) {
    std::size_t i = (std::size_t)blockIdx.x * 256 + threadIdx.x;
    if (i < n) out[i] += sums[blockIdx.x];
}

template <class T, bool Exclusive> void scanAny(const T* in, std::size_t n, T* out) {
    unsigned blocks = (unsigned)((n + 255) / 256);
    T* sums;
    cudaMalloc(&sums, blocks * sizeof(T));
    scanTile<T, Exclusive><<<blocks, 256>>>(in, n, out, sums);
    if (blocks > 1) {
        scanAny<T, true>(sums, blocks, sums);
        addBefore<<<blocks, 256>>>(out, n, sums);
    }
    cudaFree(sums);
}

void scan_inclusive_int(const int* in, std::size_t n, int* out) {
    scanAny<int, false>(in, n, out);
}

// Reduce, then scan: 64 blocks, each has one long piece of the array
const int int_excl_blocks = 64;
const int int_excl_dim = 256;

__global__ void int_excl_totals(const int* in, std::size_t n, std::size_t piece, int* totals) {
    __shared__ int sh[int_excl_dim];
    std::size_t begin = blockIdx.x * piece;
    std::size_t end = begin + piece < n ? begin + piece : n;
    int mine = 0;
    for (std::size_t i = begin + threadIdx.x; i < end; i += int_excl_dim) mine += in[i];
    sh[threadIdx.x] = mine;
    __syncthreads();
    for (int h = int_excl_dim / 2; h > 0; h /= 2) {
        if (threadIdx.x < h) sh[threadIdx.x] += sh[threadIdx.x + h];
        __syncthreads();
    }
    if (threadIdx.x == 0) totals[blockIdx.x] = sh[0];
}

__global__ void int_excl_pieces(const int* in, std::size_t n, std::size_t piece, const int* offsets, int* out) {
    __shared__ int sh[int_excl_dim];
    int t = threadIdx.x;
    std::size_t begin = blockIdx.x * piece;
    std::size_t end = begin + piece < n ? begin + piece : n;
    int carry = offsets[blockIdx.x];
    for (std::size_t base = begin; base < end; base += int_excl_dim) {
        sh[t] = base + t < end ? in[base + t] : 0;
        __syncthreads();
        for (int d = 1; d < int_excl_dim; d *= 2) {
            int other = t >= d ? sh[t - d] : 0;
            __syncthreads();
            sh[t] += other;
            __syncthreads();
        }
        if (base + t < end) out[base + t] = carry + (t > 0 ? sh[t - 1] : 0);
        carry += sh[int_excl_dim - 1];
        __syncthreads();
    }
}

void scan_exclusive_int(const int* in, std::size_t n, int* out) {
    static int* totals = nullptr;
    if (!totals) cudaMalloc(&totals, int_excl_blocks * sizeof(int));
    std::size_t piece = (n + int_excl_blocks - 1) / int_excl_blocks;
    int_excl_totals<<<int_excl_blocks, int_excl_dim>>>(in, n, piece, totals);

    // 64 numbers are a job for the CPU
    unsigned host[int_excl_blocks];
    cudaMemcpy(host, totals, sizeof(host), cudaMemcpyHostToDevice);
    unsigned running = 0;
    for (int b = 0; b < int_excl_blocks; ++b) {
        unsigned mine = host[b];
        host[b] = running;
        running += mine;
    }
    cudaMemcpy(totals, host, sizeof(host), cudaMemcpyHostToDevice);

    int_excl_pieces<<<int_excl_blocks, int_excl_dim>>>(in, n, piece, totals, out);
}

void scan_inclusive_float(const float* in, std::size_t n, float* out) {
    scanAny<float, false>(in, n, out);
}

void scan_exclusive_float(const float* in, std::size_t n, float* out) {
    scanAny<float, true>(in, n, out);
}

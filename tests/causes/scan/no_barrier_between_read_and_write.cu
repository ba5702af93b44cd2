// cause: missing_barrier line 51
// task: inclusive_int
// In a step of Kogge-Stone a thread overwrites its element before the neighbour has read it; a race from the second warp on, any n > 32.
#include "interface.cuh"

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

// Kogge and Stone in place: everybody reads, then everybody writes
constexpr unsigned inc_threads = 256;

__global__ void inc_scan_block(const int* in, std::size_t n, int* out, int* sums) {
    __shared__ int s[inc_threads];
    const unsigned t = threadIdx.x;
    const std::size_t i = (std::size_t)blockIdx.x * blockDim.x + t;
    s[t] = i < n ? in[i] : 0;
    __syncthreads();
    for (unsigned d = 1; d < blockDim.x; d *= 2) {
        int left = 0;
        if (t >= d) left = s[t - d];
        s[t] += left;
        __syncthreads();
    }
    if (i < n) out[i] = s[t];
    if (t == blockDim.x - 1) sums[blockIdx.x] = s[t];
}

__global__ void inc_add(int* out, std::size_t n, const int* sums) {
    const std::size_t i = (std::size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (blockIdx.x > 0 && i < n) out[i] += sums[blockIdx.x - 1];
}

static void inc_run(const int* in, std::size_t n, int* out) {
    const std::size_t blocks = (n + inc_threads - 1) / inc_threads;
    int* sums = nullptr;
    cudaMalloc(&sums, blocks * sizeof(int));
    inc_scan_block<<<(unsigned)blocks, inc_threads>>>(in, n, out, sums);
    if (blocks > 1) inc_run(sums, blocks, sums);
    if (blocks > 1) inc_add<<<(unsigned)blocks, inc_threads>>>(out, n, sums);
    cudaFree(sums);
}

void scan_inclusive_int(const int* in, std::size_t n, int* out) {
    inc_run(in, n, out);
}

void scan_exclusive_int(const int* in, std::size_t n, int* out) {
    scanAny<int, true>(in, n, out);
}

void scan_inclusive_float(const float* in, std::size_t n, float* out) {
    scanAny<float, false>(in, n, out);
}

void scan_exclusive_float(const float* in, std::size_t n, float* out) {
    scanAny<float, true>(in, n, out);
}

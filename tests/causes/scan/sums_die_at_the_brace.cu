// cause: use_after_free line 64
// task: exclusive_float
// the buffer of the sums is freed at the end of its scope, the kernel launched after that still reads it: with more than one tile
#include "interface.cuh"

// Device memory that is given back by itself.
template <class T> class Buffer {
public:
    explicit Buffer(std::size_t count) {
        if (count > 0) cudaMalloc(&data_, count * sizeof(T));
    }
    ~Buffer() { cudaFree(data_); }
    Buffer(const Buffer&) = delete;
    Buffer& operator=(const Buffer&) = delete;
    T* data() const { return data_; }

private:
    T* data_ = nullptr;
};

constexpr unsigned threads = 512;

// Kogge and Stone with two buffers: reads one, writes the other. Returns what lies before the thread.
template <class T> __device__ T scan_block(T mine) {
    __shared__ T buffer[2][threads];
    const unsigned t = threadIdx.x;
    int now = 0;
    if (t == 0) buffer[now][0] = T(0);
    if (t + 1 < threads) buffer[now][t + 1] = mine;  // moved by one: exclusive
    __syncthreads();
    for (unsigned d = 1; d < threads; d *= 2) {
        T x = buffer[now][t];
        if (t >= d) x = buffer[now][t - d] + x;
        now = 1 - now;
        buffer[now][t] = x;
        __syncthreads();
    }
    return buffer[now][t];
}

template <class T> __global__ void sum_tiles(const T* in, std::size_t n, T* sums) {
    __shared__ T s[threads];
    const std::size_t i = static_cast<std::size_t>(blockIdx.x) * threads + threadIdx.x;
    s[threadIdx.x] = i < n ? in[i] : T(0);
    for (unsigned half = threads / 2; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half) s[threadIdx.x] += s[threadIdx.x + half];
    }
    if (threadIdx.x == 0) sums[blockIdx.x] = s[0];
}

template <class T>
__global__ void scan_tiles(const T* in, std::size_t n, const T* before, T* out) {
    const std::size_t i = static_cast<std::size_t>(blockIdx.x) * threads + threadIdx.x;
    const T x = scan_block(i < n ? in[i] : T(0));
    if (i < n) out[i] = before == nullptr ? x : before[blockIdx.x] + x;
}

// in and out may be the same: a thread reads its element before it writes it.
template <class T> void exclusive_scan(const T* in, std::size_t n, T* out) {
    const unsigned tiles = static_cast<unsigned>((n + threads - 1) / threads);
    const T* before = nullptr;
    if (tiles > 1) {
        Buffer<T> sums(tiles);
        sum_tiles<<<tiles, threads>>>(in, n, sums.data());
        exclusive_scan(sums.data(), tiles, sums.data());
        before = sums.data();
    }
    scan_tiles<<<tiles, threads>>>(in, n, before, out);
}

void scan_exclusive_float(const float* in, std::size_t n, float* out) {
    exclusive_scan(in, n, out);
}

// cause: inclusive_exclusive line 56
// task: inclusive_float
// The sums of the tiles are scanned with the caller's own template arguments, so inclusively for an inclusive scan: each
// block adds its own sum once more.
#include "interface.cuh"

enum class Kind { inclusive, exclusive };

template <typename T, Kind kind, int N>
__global__ void scan_block(const T* in, T* out, T* block_sum, std::size_t n) {
    __shared__ T ping[N];
    __shared__ T pong[N];
    const int t = threadIdx.x;
    const std::size_t i = static_cast<std::size_t>(blockIdx.x) * N + t;

    T *from = ping, *to = pong;
    from[t] = i < n ? in[i] : T{};
    __syncthreads();
    for (int offset = 1; offset < N; offset *= 2) {
        to[t] = t < offset ? from[t] : from[t - offset] + from[t];
        __syncthreads();
        T* keep = from;
        from = to;
        to = keep;
    }
    if (i < n) {
        if constexpr (kind == Kind::inclusive)
            out[i] = from[t];
        else
            out[i] = t == 0 ? T{} : from[t - 1];
    }
    if (t == N - 1) block_sum[blockIdx.x] = from[t];
}

template <typename T, int N>
__global__ void shift_up(T* out, const T* offset, std::size_t n) {
    const std::size_t i = static_cast<std::size_t>(blockIdx.x) * N + threadIdx.x;
    if (i < n) out[i] = offset[blockIdx.x] + out[i];
}

template <typename T>
struct DeviceArray {
    T* data = nullptr;
    explicit DeviceArray(std::size_t count) { cudaMalloc(&data, count * sizeof(T)); }
    ~DeviceArray() { cudaFree(data); }
    DeviceArray(const DeviceArray&) = delete;
};

template <typename T, Kind kind>
void scan(const T* in, T* out, std::size_t n) {
    constexpr int N = 512;
    const std::size_t blocks = (n + N - 1) / N;
    DeviceArray<T> sums(blocks), offsets(blocks);
    scan_block<T, kind, N><<<static_cast<unsigned>(blocks), N>>>(in, out, sums.data, n);
    if (blocks > 1) {
        scan<T, kind>(sums.data, offsets.data, blocks);
        shift_up<T, N><<<static_cast<unsigned>(blocks), N>>>(out, offsets.data, n);
    }
}

void scan_inclusive_float(const float* in, std::size_t n, float* out) {
    scan<float, Kind::inclusive>(in, out, n);
}

void scan_exclusive_float(const float* in, std::size_t n, float* out) {
    scan<float, Kind::exclusive>(in, out, n);
}

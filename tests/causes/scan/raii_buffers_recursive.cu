// cause: use_after_free line 95
// task: inclusive_int
// The buffer of the scanned sums is a local of the if's block, so its destructor frees it before the last kernel reads it through the saved pointer.
#include "interface.cuh"

#include <utility>

namespace {

constexpr unsigned full = 0xffffffffu;
constexpr int threads = 256;
constexpr int items = 4;
constexpr int tile = threads * items;

template <typename T>
class device_buffer {
  public:
    explicit device_buffer(std::size_t count) { cudaMalloc(&data_, count * sizeof(T)); }
    ~device_buffer() { cudaFree(data_); }
    device_buffer(const device_buffer&) = delete;
    device_buffer& operator=(const device_buffer&) = delete;
    [[nodiscard]] T* data() const { return data_; }

  private:
    T* data_ = nullptr;
};

template <typename T>
__device__ T warp_inclusive(T v) {
    const int lane = threadIdx.x % 32;
#pragma unroll
    for (int d = 1; d < 32; d *= 2) {
        const T left = __shfl_up_sync(full, v, d);
        if (lane >= d) v += left;
    }
    return v;
}

template <typename T>
__device__ T block_exclusive(T v, T& total) {
    __shared__ T warp_sum[threads / 32];
    const int lane = threadIdx.x % 32;
    const int warp = threadIdx.x / 32;
    const T inclusive = warp_inclusive(v);
    if (lane == 31) warp_sum[warp] = inclusive;
    __syncthreads();
    T before = 0;
    total = 0;
#pragma unroll
    for (int w = 0; w < threads / 32; ++w) {
        if (w == warp) before = total;
        total += warp_sum[w];
    }
    return before + inclusive - v;
}

template <typename T>
__global__ void scan_tiles(const T* __restrict__ in, std::size_t n, T* __restrict__ out,
                           T* __restrict__ sums) {
    const std::size_t first = std::size_t{blockIdx.x} * tile + threadIdx.x * items;
    T v[items];
    T sum = 0;
#pragma unroll
    for (int k = 0; k < items; ++k) {
        v[k] = first + k < n ? in[first + k] : T{0};
        sum += v[k];
    }
    T total;
    T running = block_exclusive(sum, total);
#pragma unroll
    for (int k = 0; k < items; ++k) {
        running += v[k];
        if (first + k < n) out[first + k] = running;
    }
    if (threadIdx.x == 0) sums[blockIdx.x] = total;
}

template <typename T>
__global__ void add_before(T* out, std::size_t n, const T* scanned) {
    if (blockIdx.x == 0) return;
    const T before = scanned[blockIdx.x - 1];
    for (int k = threadIdx.x; k < tile; k += threads) {
        const std::size_t i = std::size_t{blockIdx.x} * tile + k;
        if (i < n) out[i] += before;
    }
}

template <typename T>
void inclusive(const T* in, std::size_t n, T* out) {
    const auto tiles = static_cast<unsigned>((n + tile - 1) / tile);
    const device_buffer<T> sums(tiles);
    scan_tiles<<<tiles, threads>>>(in, n, out, sums.data());
    const T* before = sums.data();
    if (tiles > 1) {
        const device_buffer<T> scanned(tiles);
        inclusive<T>(sums.data(), tiles, scanned.data());
        before = scanned.data();
    }
    add_before<<<tiles, threads>>>(out, n, before);
}

}  // namespace

void scan_inclusive_int(const int* in, std::size_t n, int* out) { inclusive(in, n, out); }

void scan_exclusive_int(const int*, std::size_t, int*) {}
void scan_inclusive_float(const float*, std::size_t, float*) {}
void scan_exclusive_float(const float*, std::size_t, float*) {}

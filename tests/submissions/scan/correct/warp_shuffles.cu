// expect: inclusive_int=accepted exclusive_int=accepted inclusive_float=accepted exclusive_float=accepted
// Scan by shuffles: lanes in registers, then the sums of the warps by the first warp. An exclusive
// scan takes each lane's value from its neighbour below.
#include "interface.cuh"

constexpr unsigned size = 512;

template <class T> __device__ T warp_scan(T v) {
    for (unsigned d = 1; d < 32; d *= 2) {
        const T below = __shfl_up_sync(0xffffffff, v, d);
        if (threadIdx.x % 32 >= d) v += below;
    }
    return v;
}

template <class T, bool inclusive>
__global__ void scan_blocks(const T* in, std::size_t n, T* out, T* sums) {
    __shared__ T of_warp[32];
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const std::size_t i = static_cast<std::size_t>(blockIdx.x) * size + threadIdx.x;
    const T scanned = warp_scan(i < n ? in[i] : T(0));
    const T below = __shfl_up_sync(0xffffffff, scanned, 1);
    if (lane == 31) of_warp[warp] = scanned;
    __syncthreads();
    if (warp == 0) {
        const T sum = warp_scan(lane < size / 32 ? of_warp[lane] : T(0));
        of_warp[lane] = sum;
    }
    __syncthreads();
    const T before = warp > 0 ? of_warp[warp - 1] : T(0);
    if (i < n) out[i] = before + (inclusive ? scanned : lane > 0 ? below : T(0));
    if (threadIdx.x == 0) sums[blockIdx.x] = of_warp[size / 32 - 1];
}

template <class T> __global__ void add(T* out, std::size_t n, const T* sums) {
    const std::size_t i = static_cast<std::size_t>(blockIdx.x + 1) * size + threadIdx.x;
    if (i < n) out[i] += sums[blockIdx.x];
}

template <bool inclusive, class T> void scan(const T* in, std::size_t n, T* out) {
    const auto blocks = static_cast<unsigned>((n + size - 1) / size);
    T* sums = nullptr;
    cudaMalloc(&sums, 2 * blocks * sizeof(T));
    scan_blocks<T, inclusive><<<blocks, size>>>(in, n, out, sums);
    if (blocks > 1) {
        scan<true>(sums, blocks, sums + blocks);
        add<<<blocks - 1, size>>>(out, n, sums + blocks);
    }
    cudaFree(sums);
}

void scan_inclusive_int(const int* in, std::size_t n, int* out) { scan<true>(in, n, out); }
void scan_exclusive_int(const int* in, std::size_t n, int* out) { scan<false>(in, n, out); }
void scan_inclusive_float(const float* in, std::size_t n, float* out) { scan<true>(in, n, out); }
void scan_exclusive_float(const float* in, std::size_t n, float* out) { scan<false>(in, n, out); }

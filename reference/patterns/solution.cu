// Model answer. All three tasks do next to no arithmetic, so the limit is bytes: a kernel is as
// fast as the number of bytes that it moves and the number of loads that it keeps in flight.
//
//   map      8 bytes per element. Vectors of 16 bytes, and four of them in flight per thread, hide
//            the latency of DRAM with few instructions.
//   gather   24 bytes per output plus the gathered sectors. The four indices of an output are one
//            16-byte load; its four values are independent loads; the store is coalesced.
//   scatter  8 bytes per element, but colliding atomics on one address are served one after the
//            other. Private totals in shared memory turn n global atomics into (blocks * m).
#include "interface.cuh"

namespace {

constexpr unsigned threads = 256;

unsigned blocks_for(std::size_t items, std::size_t per_block) {
    return static_cast<unsigned>((items + per_block - 1) / per_block);
}

// ---- map

constexpr int vectors_per_thread = 4;

struct Cubic {
    float c0, c1, c2, c3;
    __device__ float operator()(float x) const {
        return fmaf(fmaf(fmaf(c3, x, c2), x, c1), x, c0);  // Horner: three instructions
    }
    __device__ float4 operator()(float4 v) const {
        const Cubic& f = *this;
        return make_float4(f(v.x), f(v.y), f(v.z), f(v.w));
    }
};

__global__ void __launch_bounds__(threads)
    map_kernel(const float* __restrict__ x, std::size_t n, Cubic f, float* __restrict__ y) {
    const std::size_t vectors = n / 4;
    const float4* x4 = reinterpret_cast<const float4*>(x);
    float4* y4 = reinterpret_cast<float4*>(y);
    // A block owns a tile of vectors_per_thread * threads vectors; a warp's accesses adjoin.
    const std::size_t first =
        static_cast<std::size_t>(blockIdx.x) * (threads * vectors_per_thread) + threadIdx.x;
    float4 v[vectors_per_thread];
#pragma unroll
    for (int k = 0; k < vectors_per_thread; ++k) {
        const std::size_t i = first + k * threads;
        // Read once, written once: tell the caches not to keep it (ld.global.cs, st.global.cs).
        if (i < vectors) v[k] = __ldcs(x4 + i);
    }
#pragma unroll
    for (int k = 0; k < vectors_per_thread; ++k) {
        const std::size_t i = first + k * threads;
        if (i < vectors) __stcs(y4 + i, f(v[k]));
    }
    // The n mod 4 elements after the last whole vector.
    if (blockIdx.x == 0 && threadIdx.x < n % 4) {
        const std::size_t i = 4 * vectors + threadIdx.x;
        y[i] = f(x[i]);
    }
}

// ---- gather

constexpr int outputs_per_thread = 2;

__global__ void __launch_bounds__(threads)
    gather_kernel(const float* __restrict__ value, const uint4* __restrict__ neighbour,
                  std::size_t n, float* __restrict__ out) {
    const std::size_t first =
        static_cast<std::size_t>(blockIdx.x) * (threads * outputs_per_thread) + threadIdx.x;
#pragma unroll
    for (int k = 0; k < outputs_per_thread; ++k) {
        const std::size_t i = first + k * threads;
        if (i >= n) return;
        const uint4 at = __ldcs(neighbour + i);  // indices stream through; values may stay in cache
        __stcs(out + i, (__ldg(value + at.x) + __ldg(value + at.y)) +
                            (__ldg(value + at.z) + __ldg(value + at.w)));
    }
}

// ---- scatter

// A 64-bit add in shared memory is a compare-and-swap loop on the hardware; a 32-bit one is native.
// So each private total is two words, and the high word is touched only when the low one wraps.
constexpr std::size_t max_private_totals = 6144;  // 48 KB, the most without opting in to more

__device__ void add_split(unsigned* low, unsigned* high, std::int32_t value) {
    const unsigned addend = static_cast<unsigned>(value);
    const unsigned old = atomicAdd(low, addend);
    const int carry = old + addend < old ? 1 : 0;
    const int high_addend = (value < 0 ? -1 : 0) + carry;  // sign extension, plus the carry
    if (high_addend != 0) atomicAdd(high, static_cast<unsigned>(high_addend));
}

__device__ void add_global(std::int64_t* total, std::uint64_t value) {
    atomicAdd(reinterpret_cast<unsigned long long*>(total), static_cast<unsigned long long>(value));
}

/// Calls f(value, target) for all elements, four at a time, striding over the grid.
template <class F>
__device__ void for_each_element(const std::int32_t* __restrict__ value,
                                 const std::uint32_t* __restrict__ target, std::size_t n, F f) {
    const std::size_t stride = static_cast<std::size_t>(gridDim.x) * blockDim.x;
    const std::size_t thread = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    const int4* value4 = reinterpret_cast<const int4*>(value);
    const uint4* target4 = reinterpret_cast<const uint4*>(target);
    for (std::size_t i = thread; i < n / 4; i += stride) {
        const int4 v = __ldcs(value4 + i);
        const uint4 t = __ldcs(target4 + i);
        f(v.x, t.x);
        f(v.y, t.y);
        f(v.z, t.z);
        f(v.w, t.w);
    }
    for (std::size_t i = n / 4 * 4 + thread; i < n; i += stride) f(value[i], target[i]);
}

__global__ void scatter_private(const std::int32_t* __restrict__ value,
                                const std::uint32_t* __restrict__ target, std::size_t n, unsigned m,
                                std::int64_t* __restrict__ total) {
    extern __shared__ unsigned words[];
    unsigned* low = words;
    unsigned* high = words + m;
    for (unsigned t = threadIdx.x; t < m; t += blockDim.x) low[t] = high[t] = 0;
    __syncthreads();
    for_each_element(value, target, n,
                     [=](std::int32_t v, std::uint32_t t) { add_split(low + t, high + t, v); });
    __syncthreads();
    for (unsigned t = threadIdx.x; t < m; t += blockDim.x) {
        const std::uint64_t sum = static_cast<std::uint64_t>(high[t]) << 32 | low[t];
        if (sum != 0) add_global(total + t, sum);
    }
}

__global__ void scatter_direct(const std::int32_t* __restrict__ value,
                               const std::uint32_t* __restrict__ target, std::size_t n,
                               std::int64_t* __restrict__ total) {
    for_each_element(value, target, n, [=](std::int32_t v, std::uint32_t t) {
        add_global(total + t, static_cast<std::uint64_t>(static_cast<std::int64_t>(v)));
    });
}

}  // namespace

void map_cubic(const float* x, std::size_t n, float c0, float c1, float c2, float c3, float* y) {
    const unsigned blocks = blocks_for(n, 4 * threads * vectors_per_thread);
    map_kernel<<<blocks, threads>>>(x, n, Cubic{c0, c1, c2, c3}, y);
}

void gather_sum(const float* value, std::size_t, const std::uint32_t* neighbour, std::size_t n,
                float* out) {
    const unsigned blocks = blocks_for(n, threads * outputs_per_thread);
    gather_kernel<<<blocks, threads>>>(value, reinterpret_cast<const uint4*>(neighbour), n, out);
}

void scatter_add(const std::int32_t* value, const std::uint32_t* target, std::size_t n,
                 std::size_t m, std::int64_t* total) {
    cudaMemsetAsync(total, 0, m * sizeof *total);
    if (n == 0) return;
    int device = 0, multiprocessors = 0;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device);
    constexpr unsigned scatter_threads = 512;
    // Enough blocks to fill the GPU and no more: each private copy has to be merged once.
    const unsigned full = 4 * static_cast<unsigned>(multiprocessors);
    const unsigned needed = blocks_for(n, 4 * scatter_threads);
    const unsigned blocks = needed < full ? needed : full;
    // Private copies pay when a block has more elements to add than totals to clear and merge.
    if (m <= max_private_totals && n / blocks >= m) {
        scatter_private<<<blocks, scatter_threads, 2 * m * sizeof(unsigned)>>>(
            value, target, n, static_cast<unsigned>(m), total);
    } else {
        scatter_direct<<<blocks, scatter_threads>>>(value, target, n, total);
    }
}

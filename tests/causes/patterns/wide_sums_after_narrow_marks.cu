// cause: misaligned line 62
// task: scatter
// The 64-bit sums begin behind m marks of 32 bits, at an address that is no multiple of 8: shows when m is odd.
#include "interface.cuh"

#include <algorithm>
#include <cstdint>

using std::size_t;
using std::uint32_t;

/// Calls f(i) for each i below n.
template <class F>
__global__ void for_each(size_t n, F f) {
    for (size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < n;
         i += size_t(gridDim.x) * blockDim.x) {
        f(i);
    }
}

template <class F>
void run(size_t n, F f) {
    constexpr unsigned threads = 256;
    const size_t blocks = std::min<size_t>((n + threads - 1) / threads, 8192);
    if (blocks > 0) for_each<<<unsigned(blocks), threads>>>(n, f);
}

struct Calibration {
    const float* x;
    float* y;
    float c0, c1, c2, c3;
    __device__ void operator()(size_t i) const {
        const float t = x[i], t2 = t * t;
        y[i] = (c0 + c1 * t) + t2 * (c2 + c3 * t);
    }
};

struct Neighbours {
    const float* value;
    const uint4* row;
    float* out;
    __device__ void operator()(size_t i) const {
        const uint4 r = row[i];
        out[i] = value[r.x] + value[r.y] + value[r.z] + value[r.w];
    }
};

struct Booking {
    const std::int32_t* value;
    const uint32_t* target;
    unsigned long long* total;
    __device__ void operator()(size_t i) const {
        atomicAdd(total + target[i], static_cast<unsigned long long>(static_cast<long long>(value[i])));
    }
};

// Each block has its own totals, and a mark for each of them that it has booked on.
__global__ void book_privately(const std::int32_t* value, const uint32_t* target, size_t n,
                               uint32_t m, unsigned long long* total) {
    extern __shared__ __align__(16) unsigned char pool[];
    auto* used = reinterpret_cast<uint32_t*>(pool);
    auto* sum = reinterpret_cast<unsigned long long*>(used + m);
    for (uint32_t t = threadIdx.x; t < m; t += blockDim.x) {
        sum[t] = 0;
        used[t] = 0;
    }
    __syncthreads();
    for (size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < n;
         i += size_t(gridDim.x) * blockDim.x) {
        const uint32_t t = target[i];
        atomicAdd(&sum[t], static_cast<unsigned long long>(static_cast<long long>(value[i])));
        atomicOr(&used[t], 1u);
    }
    __syncthreads();
    for (uint32_t t = threadIdx.x; t < m; t += blockDim.x) {
        if (used[t]) atomicAdd(&total[t], sum[t]);
    }
}

void map_cubic(const float* x, size_t n, float c0, float c1, float c2, float c3, float* y) {
    run(n, Calibration{x, y, c0, c1, c2, c3});
}

void gather_sum(const float* value, size_t, const uint32_t* neighbour, size_t n, float* out) {
    run(n, Neighbours{value, reinterpret_cast<const uint4*>(neighbour), out});
}

void scatter_add(const std::int32_t* value, const uint32_t* target, size_t n, size_t m,
                 std::int64_t* total) {
    auto* sums = reinterpret_cast<unsigned long long*>(total);
    cudaMemset(sums, 0, m * sizeof(*sums));
    constexpr size_t room = 48 * 1024 / (sizeof(unsigned long long) + sizeof(uint32_t));
    if (m > room) {
        run(n, Booking{value, target, sums});
    } else if (n > 0) {
        const size_t blocks = std::min<size_t>((n + 8191) / 8192, 264);
        book_privately<<<unsigned(blocks), 1024,
                         m * (sizeof(unsigned long long) + sizeof(uint32_t))>>>(
            value, target, n, uint32_t(m), sums);
    }
}

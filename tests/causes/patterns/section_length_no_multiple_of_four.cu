// cause: misaligned line 80
// task: map
// The length of a block's section is not rounded up to a multiple of four, so the float4 accesses of later blocks are misaligned; shows for n above 1024 unless the length happens to fit.
#include "interface.cuh"

#include <algorithm>

namespace {

constexpr unsigned everyone = 0xffffffffu;

struct Cubic {
    float c0, c1, c2, c3;
    __device__ float operator()(float x) const { return fmaf(fmaf(fmaf(c3, x, c2), x, c1), x, c0); }
};

// A block has a section of `per` elements; within it, neighbours go to neighbours, four at a time.
template <class F>
__global__ void transform_sections(const float* x, std::size_t n, std::size_t per, F f, float* y) {
    const std::size_t begin = blockIdx.x * per;
    if (begin >= n) return;
    const std::size_t end = min(begin + per, n);
    const std::size_t quads = (end - begin) / 4;
    const auto* x4 = reinterpret_cast<const float4*>(x + begin);
    auto* y4 = reinterpret_cast<float4*>(y + begin);
    for (std::size_t q = threadIdx.x; q < quads; q += blockDim.x) {
        const float4 v = x4[q];
        y4[q] = make_float4(f(v.x), f(v.y), f(v.z), f(v.w));
    }
    const std::size_t rest = begin + 4 * quads + threadIdx.x;
    if (rest < end) y[rest] = f(x[rest]);
}

__global__ void gather_rows(const float* value, const uint4* row, std::size_t n, float* out) {
    const std::size_t step = std::size_t(gridDim.x) * blockDim.x;
    for (std::size_t i = std::size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += step) {
        const uint4 r = row[i];
        out[i] = (value[r.x] + value[r.y]) + (value[r.z] + value[r.w]);
    }
}

// The sum of v over the lanes in `group`; all lanes of the warp call it.
template <class T>
__device__ T group_sum(T v, unsigned group) {
    T sum = 0;
    for (int lane = 0; lane < 32; ++lane) {
        const T other = __shfl_sync(everyone, v, lane);
        if (group >> lane & 1u) sum += other;
    }
    return sum;
}

__global__ void scatter_kernel(const std::int32_t* value, const std::uint32_t* target,
                               std::size_t n, std::size_t slots, unsigned long long* total) {
    extern __shared__ unsigned long long local[];
    for (std::size_t t = threadIdx.x; t < slots; t += blockDim.x) local[t] = 0;
    __syncthreads();
    unsigned long long* sums = slots > 0 ? local : total;

    const std::size_t step = std::size_t(gridDim.x) * blockDim.x;
    for (std::size_t base = std::size_t(blockIdx.x) * blockDim.x; base < n; base += step) {
        const std::size_t i = base + threadIdx.x;
        const bool valid = i < n;
        const std::int32_t v = valid ? value[i] : 0;
        const std::uint32_t t = valid ? target[i] : ~0u;
        const unsigned group = __match_any_sync(everyone, t);
        const long long sum = group_sum<long long>(v, group);
        const bool first = (group & ((1u << threadIdx.x % 32) - 1u)) == 0;
        if (valid && first) atomicAdd(&sums[t], static_cast<unsigned long long>(sum));
    }
    __syncthreads();
    for (std::size_t t = threadIdx.x; t < slots; t += blockDim.x)
        if (local[t] != 0) atomicAdd(&total[t], local[t]);
}

}  // namespace

void map_cubic(const float* x, std::size_t n, float c0, float c1, float c2, float c3, float* y) {
    const std::size_t blocks = std::min<std::size_t>((n + 1023) / 1024, 2112);
    const std::size_t per = (n + blocks - 1) / blocks;
    transform_sections<<<unsigned(blocks), 256>>>(x, n, per, Cubic{c0, c1, c2, c3}, y);
}

void gather_sum(const float* value, std::size_t, const std::uint32_t* neighbour, std::size_t n,
                float* out) {
    const std::size_t blocks = std::min<std::size_t>((n + 127) / 128, 8448);
    gather_rows<<<unsigned(blocks), 128>>>(value, reinterpret_cast<const uint4*>(neighbour), n,
                                           out);
}

void scatter_add(const std::int32_t* value, const std::uint32_t* target, std::size_t n,
                 std::size_t m, std::int64_t* total) {
    cudaMemset(total, 0, m * sizeof(std::int64_t));
    if (n == 0) return;
    const std::size_t slots = m <= 2048 ? m : 0;  // more do not fit: straight to global memory
    const std::size_t blocks = std::min<std::size_t>((n + 8191) / 8192, 1056);
    scatter_kernel<<<unsigned(blocks), 256, slots * sizeof(std::int64_t)>>>(
        value, target, n, slots, reinterpret_cast<unsigned long long*>(total));
}

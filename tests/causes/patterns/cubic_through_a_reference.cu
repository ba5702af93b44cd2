// cause: input_changed line 30
// task: map
// The four values are a reference to the input, so the results are written there, too; the input is changed whenever n >= 4.
// map, gather, scatter
#include "interface.cuh"

#include <cuda_runtime.h>

static constexpr unsigned threads_per_block = 256;

struct Cubic {
    float c0, c1, c2, c3;

    __device__ void apply(float& value) const {
        const float x = value;
        value = fmaf(fmaf(fmaf(c3, x, c2), x, c1), x, c0);
    }
    __device__ void apply(float4& value) const {
        apply(value.x);
        apply(value.y);
        apply(value.z);
        apply(value.w);
    }
};

__global__ void map_kernel(float4* x4, float* x, std::size_t n, Cubic curve, float4* y4, float* y) {
    const std::size_t id = std::size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    const std::size_t quads = n / 4;
    if (id < quads) {
        float4& four = x4[id];
        curve.apply(four);
        y4[id] = four;
    } else if (const std::size_t i = quads * 4 + (id - quads); i < n) {
        float last = x[i];
        curve.apply(last);
        y[i] = last;
    }
}

__global__ void gather_kernel(const float* value, const uint4* row, std::size_t n, float* out) {
    const std::size_t i = std::size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) {
        const uint4 r = row[i];
        out[i] = (value[r.x] + value[r.y]) + (value[r.z] + value[r.w]);
    }
}

// several private totals per block, so that fewer threads want the same word
__global__ void scatter_private(const std::int32_t* value, const std::uint32_t* target, std::size_t n,
                                unsigned m, unsigned copies, unsigned long long* total) {
    extern __shared__ unsigned long long local[];
    for (unsigned k = threadIdx.x; k < m * copies; k += blockDim.x) local[k] = 0;
    __syncthreads();
    unsigned long long* const mine = local + std::size_t(threadIdx.x % copies) * m;
    const std::size_t step = std::size_t(gridDim.x) * blockDim.x;
    for (std::size_t i = std::size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += step) {
        const long long amount = value[i];
        atomicAdd(mine + target[i], static_cast<unsigned long long>(amount));
    }
    __syncthreads();
    for (unsigned t = threadIdx.x; t < m; t += blockDim.x) {
        unsigned long long sum = 0;
        for (unsigned c = 0; c < copies; ++c) sum += local[c * m + t];
        if (sum != 0) atomicAdd(total + t, sum);
    }
}

__global__ void scatter_global(const std::int32_t* value, const std::uint32_t* target, std::size_t n,
                               unsigned long long* total) {
    const std::size_t step = std::size_t(gridDim.x) * blockDim.x;
    for (std::size_t i = std::size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += step) {
        const long long amount = value[i];
        atomicAdd(total + target[i], static_cast<unsigned long long>(amount));
    }
}

static unsigned round_up(std::size_t n) {
    return static_cast<unsigned>((n + threads_per_block - 1) / threads_per_block);
}

void map_cubic(const float* x, std::size_t n, float c0, float c1, float c2, float c3, float* y) {
    float* const readings = const_cast<float*>(x);  // float4* wants it without the const
    const std::size_t work = n / 4 + n % 4;
    map_kernel<<<round_up(work), threads_per_block>>>(reinterpret_cast<float4*>(readings), readings, n,
                                                      Cubic{c0, c1, c2, c3},
                                                      reinterpret_cast<float4*>(y), y);
}

void gather_sum(const float* value, std::size_t /*m*/, const std::uint32_t* neighbour, std::size_t n,
                float* out) {
    gather_kernel<<<round_up(n), threads_per_block>>>(value, reinterpret_cast<const uint4*>(neighbour), n, out);
}

void scatter_add(const std::int32_t* value, const std::uint32_t* target, std::size_t n, std::size_t m,
                 std::int64_t* total) {
    cudaMemsetAsync(total, 0, m * sizeof *total);
    if (n == 0) return;
    unsigned long long* const words = reinterpret_cast<unsigned long long*>(total);
    const unsigned most = 48 * 1024 / sizeof(unsigned long long);
    if (m <= most) {
        unsigned copies = most / static_cast<unsigned>(m);
        if (copies > 6) copies = 6;
        std::size_t blocks = n / 4096 + 1;
        if (blocks > 528) blocks = 528;
        scatter_private<<<static_cast<unsigned>(blocks), 512, m * copies * sizeof(unsigned long long)>>>(
            value, target, n, static_cast<unsigned>(m), copies, words);
    } else {
        std::size_t blocks = round_up(n);
        if (blocks > 4096) blocks = 4096;
        scatter_global<<<static_cast<unsigned>(blocks), threads_per_block>>>(value, target, n, words);
    }
}

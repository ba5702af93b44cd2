// cause: wrong_stride line 19
// task: map
// The index counts float4s but the stride of the loop counts floats, so that three quarters of the float4s are skipped where the grid does not cover all.
#include "interface.cuh"

// Horner's scheme: three multiply-adds per reading
struct Curve {
    float c0, c1, c2, c3;
    __device__ float operator()(float x) const { return fmaf(fmaf(fmaf(c3, x, c2), x, c1), x, c0); }
};

__global__ void apply(const float* __restrict__ x, std::size_t n, Curve f, float* __restrict__ y) {
    const std::size_t me = blockIdx.x * std::size_t(blockDim.x) + threadIdx.x;
    const std::size_t threads = std::size_t(gridDim.x) * blockDim.x;
    const std::size_t quads = n / 4;

    const float4* x4 = reinterpret_cast<const float4*>(x);
    float4* y4 = reinterpret_cast<float4*>(y);
    for (std::size_t q = me; q < quads; q += 4 * threads) {
        const float4 v = x4[q];
        y4[q] = make_float4(f(v.x), f(v.y), f(v.z), f(v.w));
    }

    // up to three elements are left over
    const std::size_t rest = 4 * quads + me;
    if (rest < n) y[rest] = f(x[rest]);
}

void map_cubic(const float* x, std::size_t n, float c0, float c1, float c2, float c3, float* y) {
    int device = 0, processors = 1;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
    const std::size_t wanted = (n / 4 + 255) / 256 + 1;
    const std::size_t fit = 2 * std::size_t(processors);
    apply<<<unsigned(wanted < fit ? wanted : fit), 256>>>(x, n, Curve{c0, c1, c2, c3}, y);
}

void gather_sum(const float*, std::size_t, const std::uint32_t*, std::size_t, float*) {
    // TODO
}

void scatter_add(const std::int32_t*, const std::uint32_t*, std::size_t, std::size_t, std::int64_t*) {
    // TODO
}

// cause: misaligned line 35
// task: map
// Each block works through a chunk whose length is not rounded to a multiple of 4, so its float4 accesses start at odd addresses when n / blocks is not a multiple of 4.
#include "interface.cuh"

// Every block owns one contiguous chunk and walks through it with 16-byte loads.
static __device__ __forceinline__ float poly(float x, float a, float b, float c, float d) {
    return fmaf(fmaf(fmaf(d, x, c), x, b), x, a);
}

__global__ void map_chunks(const float* __restrict__ x, size_t n, size_t chunk, float c0, float c1,
                           float c2, float c3, float* __restrict__ y) {
    size_t begin = blockIdx.x * chunk;
    if (begin >= n) return;
    size_t end = begin + chunk < n ? begin + chunk : n;
    size_t vectors = (end - begin) / 4;

    const float4* xv = reinterpret_cast<const float4*>(x + begin);
    float4* yv = reinterpret_cast<float4*>(y + begin);
    for (size_t v = threadIdx.x; v < vectors; v += blockDim.x) {
        float4 r = xv[v];
        r.x = poly(r.x, c0, c1, c2, c3);
        r.y = poly(r.y, c0, c1, c2, c3);
        r.z = poly(r.z, c0, c1, c2, c3);
        r.w = poly(r.w, c0, c1, c2, c3);
        yv[v] = r;
    }
    // what does not fill a vector
    for (size_t i = begin + 4 * vectors + threadIdx.x; i < end; i += blockDim.x)
        y[i] = poly(x[i], c0, c1, c2, c3);
}

void map_cubic(const float* x, std::size_t n, float c0, float c1, float c2, float c3, float* y) {
    const size_t blocks = 132;
    const size_t chunk = (n + blocks - 1) / blocks;
    map_chunks<<<blocks, 256>>>(x, n, chunk, c0, c1, c2, c3, y);
}

void gather_sum(const float*, std::size_t, const std::uint32_t*, std::size_t, float*) {}

void scatter_add(const std::int32_t*, const std::uint32_t*, std::size_t, std::size_t,
                 std::int64_t*) {}

// cause: launch_refused line 46
// task: map
// The second kernel gets one thread for each element that is left over. If n is a multiple of 4 this is a block
// of 0 threads, and the launch fails.
#include "interface.cuh"
#include <cstdio>
#include <cstdlib>

// coefficients travel by value
struct Cubic {
    float c0, c1, c2, c3;
    __device__ float operator()(float x) const {
        return fmaf(fmaf(fmaf(c3, x, c2), x, c1), x, c0);
    }
    __device__ float4 operator()(float4 v) const {
        return make_float4((*this)(v.x), (*this)(v.y), (*this)(v.z), (*this)(v.w));
    }
};

template <typename V>
__global__ void apply(Cubic f, const V* from, size_t count, V* to) {
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < count;
         i += (size_t)gridDim.x * blockDim.x)
        to[i] = f(from[i]);
}

static void ok() {
    cudaError_t e = cudaGetLastError();
    if (e != cudaSuccess) {
        fprintf(stderr, "launch: %s\n", cudaGetErrorString(e));
        abort();
    }
}

void map_cubic(const float* x, size_t n, float c0, float c1, float c2, float c3, float* y) {
    const Cubic f{c0, c1, c2, c3};
    const size_t quads = n / 4;
    const size_t done = quads * 4;

    size_t blocks = quads / 256 + 1;
    if (blocks > 4096) blocks = 4096;
    apply<float4><<<blocks, 256>>>(f, (const float4*)x, quads, (float4*)y);
    ok();

    // the last ones by a small kernel of their own
    apply<float><<<1, n - done>>>(f, x + done, n - done, y + done);
    ok();
}

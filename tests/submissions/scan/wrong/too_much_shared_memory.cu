// expect: inclusive_float=launch_error
// The double buffer for the whole array is asked for in shared memory: no launch for more than a few
// thousand elements.
#include "interface.cuh"

__global__ void scan(const float* in, std::size_t n, float* out) {
    extern __shared__ float s[];
    const unsigned t = threadIdx.x;
    for (std::size_t i = t; i < n; i += 256) s[i] = in[i];
    float* from = s;
    float* to = s + n;
    for (std::size_t d = 1; d < n; d *= 2) {
        __syncthreads();
        for (std::size_t i = t; i < n; i += 256) to[i] = i >= d ? from[i] + from[i - d] : from[i];
        float* const swap = from;
        from = to;
        to = swap;
    }
    __syncthreads();
    for (std::size_t i = t; i < n; i += 256) out[i] = from[i];
}

void scan_inclusive_float(const float* in, std::size_t n, float* out) {
    scan<<<1, 256, 2 * n * sizeof(float)>>>(in, n, out);
}

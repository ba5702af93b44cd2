// cause: misaligned line 53
// task: max
// Each block gets a section of the array and reads it by float4, but the length of a section is no multiple of 4,
// so that most sections begin at an address that is no multiple of 16.
#include "interface.cuh"
#include <math_constants.h>

/* every block searches its own section, then one block searches the results */

static const int T = 128;
static const int MAXB = 1024;

__device__ float section_max[MAXB];

__device__ float block_max(float v) {
    __shared__ float s[T];
    s[threadIdx.x] = v;
    __syncthreads();
    for (int k = T / 2; k; k >>= 1) {
        if (threadIdx.x < k) s[threadIdx.x] = fmaxf(s[threadIdx.x], s[threadIdx.x + k]);
        __syncthreads();
    }
    return s[0];
}

__global__ void search_sections(const float* in, size_t n, size_t len) {
    size_t from = blockIdx.x * len;
    size_t to = from + len < n ? from + len : n;
    float best = -CUDART_INF_F;

    if (from < to) {
        size_t count = to - from;
        const float4* wide = (const float4*)(in + from);
        for (size_t j = threadIdx.x; j < count / 4; j += T) {
            float4 f = wide[j];
            best = fmaxf(best, fmaxf(fmaxf(f.x, f.y), fmaxf(f.z, f.w)));
        }
        // up to three are left
        size_t rest = from + count / 4 * 4 + threadIdx.x;
        if (rest < to) best = fmaxf(best, in[rest]);
    }
    best = block_max(best);
    if (threadIdx.x == 0) section_max[blockIdx.x] = best;
}

__global__ void search_results(int count, float* out) {
    float best = -CUDART_INF_F;
    for (int j = threadIdx.x; j < count; j += T) best = fmaxf(best, section_max[j]);
    best = block_max(best);
    if (threadIdx.x == 0) *out = best;
}

size_t section_length(size_t n, int blocks) { return (n + blocks - 1) / blocks; }

void reduce_max(const float* in, size_t n, float* out) {
    int blocks = n < 4096 ? 4 : MAXB;
    search_sections<<<blocks, T>>>(in, n, section_length(n, blocks));
    search_results<<<1, T>>>(blocks, out);
}

// cause: uninitialised_shared line 26
// task: max
// Threads past the end do not write their slot of the tile, yet the tree takes all slots into account: whatever lay in shared memory can become the maximum.
#include "interface.cuh"

#include <cmath>
#include <cstdio>
#include <cstdlib>

#define CHECK(call)                                                                             \
    do {                                                                                        \
        cudaError_t err_ = (call);                                                              \
        if (err_ != cudaSuccess) {                                                              \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(err_));       \
            exit(1);                                                                            \
        }                                                                                       \
    } while (0)

static const int BS = 512;

__global__ void max_level(const float* src, size_t n, float* dst) {
    extern __shared__ float tile[];
    unsigned t = threadIdx.x;
    size_t i = (size_t)blockIdx.x * BS + t;

    if (i < n) tile[t] = src[i];
    __syncthreads();

    for (unsigned s = BS / 2; s > 0; s >>= 1) {
        if (t < s) {
            float other = tile[t + s];
            if (other > tile[t]) tile[t] = other;
        }
        __syncthreads();
    }
    if (t == 0) dst[blockIdx.x] = tile[0];
}

__global__ void no_elements(float* out) { *out = -INFINITY; }

static float* buf[2] = {nullptr, nullptr};
static size_t buf_len = 0;

void reduce_max(const float* in, std::size_t n, float* out) {
    if (n == 0) {
        no_elements<<<1, 1>>>(out);
        CHECK(cudaGetLastError());
        return;
    }
    size_t need = (n + BS - 1) / BS;
    if (need > buf_len) {
        for (int k = 0; k < 2; k++) {
            if (buf[k]) CHECK(cudaFree(buf[k]));
            CHECK(cudaMalloc((void**)&buf[k], need * sizeof(float)));
        }
        buf_len = need;
    }
    const float* src = in;
    int which = 0;
    for (;;) {
        size_t blocks = (n + BS - 1) / BS;
        float* dst = blocks == 1 ? out : buf[which];
        max_level<<<(unsigned)blocks, BS, BS * sizeof(float)>>>(src, n, dst);
        CHECK(cudaGetLastError());
        if (blocks == 1) break;
        src = dst;
        n = blocks;
        which ^= 1;
    }
}

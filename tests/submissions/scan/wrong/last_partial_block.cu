// expect: inclusive_int=unwritten_output
// Walks over n / 256 tiles, rounded down: nothing is written after the last whole one.
#include "interface.cuh"

__global__ void scan(const int* in, std::size_t tiles, int* out) {
    __shared__ int s[2][256];
    const unsigned t = threadIdx.x;
    int carry = 0;
    for (std::size_t tile = 0; tile < tiles; ++tile) {
        int now = 0;
        s[0][t] = in[tile * 256 + t];
        for (unsigned d = 1; d < 256; d *= 2) {
            __syncthreads();
            s[1 - now][t] = s[now][t] + (t >= d ? s[now][t - d] : 0);
            now = 1 - now;
        }
        __syncthreads();
        out[tile * 256 + t] = carry + s[now][t];
        carry += s[now][255];
        __syncthreads();
    }
}

void scan_inclusive_int(const int* in, std::size_t n, int* out) { scan<<<1, 256>>>(in, n / 256, out); }

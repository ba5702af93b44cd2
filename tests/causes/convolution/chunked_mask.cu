// cause: missing_barrier line 45 or 37
// task: conv1d
// the next piece of mask and signal is loaded while slower warps still use the last one: a race for masks of more than one piece (over 256 taps)
#include "interface.cuh"
#include <cstdio>

#define TPB   256
#define PIECE 256

struct Ghost {
    int mode;
    long long n;
    __device__ float at(const float *p, long long k) const {
        if (k < 0 || k >= n) {
            if (mode == 0) return 0.0f;
            if (mode == 1) k = k < 0 ? 0 : n - 1;
            else {
                k %= 2 * n;
                if (k < 0) k += 2 * n;
                if (k >= n) k = 2 * n - 1 - k;
            }
        }
        return p[k];
    }
};

__global__ void conv_pieces(const float *in, const float *mask, int mw, Ghost g, float *out)
{
    __shared__ float s_in[TPB + PIECE - 1];
    __shared__ float s_mask[PIECE];
    int tid = threadIdx.x;
    long long i = (long long)blockIdx.x * TPB + tid;
    long long left = (long long)blockIdx.x * TPB - mw / 2;
    float acc = 0.0f;

    for (int p = 0; p < mw; p += PIECE) {
        s_mask[tid] = (p + tid < mw) ? mask[p + tid] : 0.0f;
        s_in[tid] = g.at(in, left + p + tid);
        if (tid < PIECE - 1)
            s_in[TPB + tid] = g.at(in, left + p + TPB + tid);
        __syncthreads();
#pragma unroll 8
        for (int j = 0; j < PIECE; ++j)
            acc += s_mask[j] * s_in[tid + j];
    }
    if (i < g.n)
        out[i] = acc;
}

void convolve_1d(const float *in, size_t n, const float *mask, int mask_width, int ghost, float *out)
{
    Ghost g;
    g.mode = ghost;
    g.n = (long long)n;
    conv_pieces<<<(n + TPB - 1) / TPB, TPB>>>(in, mask, mask_width, g, out);
    cudaError_t err = cudaGetLastError();
    if (err != cudaSuccess)
        fprintf(stderr, "conv_pieces: %s\n", cudaGetErrorString(err));
}

// cause: unsigned_index line 14
// task: conv1d
// The position in the signal is passed as an unsigned number, so it is never below zero: left of the signal there is the
// right edge's element with `replicate`, and a wrong one with `mirror`.
#include "interface.cuh"

// every thread computes 4 outputs next to each other
constexpr int OUTPUTS = 4;
constexpr int THREADS = 128;
constexpr int CHUNK = 256;          // taps per round
constexpr int SPAN = THREADS * OUTPUTS;

template <int GHOST>
__device__ float sample(const float* s, int n, unsigned pos)
{
    if (GHOST == 0)
        return pos >= 0 && pos < n ? s[pos] : 0.0f;
    if (GHOST == 1) {
        if (pos < 0) return s[0];
        if (pos >= n) return s[n - 1];
        return s[pos];
    }
    while (true) {
        if (pos < 0) pos = -pos - 1;
        else if (pos >= n) pos = (pos % (2 * n)) < n ? pos % (2 * n) : 2 * n - 1 - pos % (2 * n);
        else return s[pos];
    }
}

template <int GHOST>
__global__ void conv(const float* s, int n, const float* mask, int m, float* out)
{
    __shared__ float w[CHUNK];
    __shared__ float x[SPAN + CHUNK];
    int start = blockIdx.x * SPAN;
    float acc[OUTPUTS] = {0, 0, 0, 0};

    for (int c = 0; c < m; c += CHUNK) {
        int taps = m - c < CHUNK ? m - c : CHUNK;
        for (int k = threadIdx.x; k < taps; k += THREADS)
            w[k] = mask[c + k];
        for (int k = threadIdx.x; k < SPAN + taps - 1; k += THREADS)
            x[k] = sample<GHOST>(s, n, start + c + k - m / 2);
        __syncthreads();

        int mine = threadIdx.x * OUTPUTS;
        for (int j = 0; j < taps; ++j)
            for (int o = 0; o < OUTPUTS; ++o)
                acc[o] += w[j] * x[mine + o + j];
        __syncthreads();
    }

    for (int o = 0; o < OUTPUTS; ++o) {
        int i = start + threadIdx.x * OUTPUTS + o;
        if (i < n) out[i] = acc[o];
    }
}

void convolve_1d(const float* in, std::size_t n, const float* mask, int mask_width, int ghost, float* out)
{
    int blocks = (n + SPAN - 1) / SPAN;
    if (ghost == 0)      conv<0><<<blocks, THREADS>>>(in, n, mask, mask_width, out);
    else if (ghost == 1) conv<1><<<blocks, THREADS>>>(in, n, mask, mask_width, out);
    else                 conv<2><<<blocks, THREADS>>>(in, n, mask, mask_width, out);
}

// cause: launch_refused line 186
// task: conv2d_float
// For masks of 21 taps and more the tile needs more than 48 KB of dynamic shared memory, which the kernel has not been allowed, so it is not launched.
#include "interface.cuh"

#define N_OUT 512          /* threads and outputs of a block, one dimension */
#define MAX_TAPS 1024      /* what fits into taps_1d */

__constant__ float taps_1d[MAX_TAPS];
__constant__ float mask_2d[31 * 31];

/* ---- ghost cells ---------------------------------------------------------------------------- */

template <typename I>
__device__ I where(I k, I n, int ghost)
{
    if (k < 0 || k >= n) {
        if (ghost == 0)
            return -1;
        if (ghost == 1)
            return k < 0 ? 0 : n - 1;
        I period = 2 * n;
        k = (k % period + period) % period;
        if (k >= n)
            k = period - 1 - k;
    }
    return k;
}

template <typename P>
__device__ P pixel(const P *in, int width, int height, int y, int x, int ghost)
{
    int row = where(y, height, ghost);
    int col = where(x, width, ghost);
    if (row < 0 || col < 0)
        return 0;
    return in[(size_t)row * width + col];
}

__device__ float sample(const float *in, long long n, long long k, int ghost)
{
    long long s = where(k, n, ghost);
    return s < 0 ? 0.0f : in[s];
}

/* ---- one dimension -------------------------------------------------------------------------- */

/* taps_1d holds `count` taps, the first of which belongs to in[i + shift]. */
__global__ void conv1d_part(const float *in, long long n, int count, int shift, int ghost,
                            float *out, bool more)
{
    __shared__ float s[N_OUT + MAX_TAPS - 1];
    int t = threadIdx.x;
    long long i = (long long)blockIdx.x * N_OUT + t;
    int halo = count - 1;

    s[t] = sample(in, n, i + shift, ghost);
    for (int h = t; h < halo; h += N_OUT)
        s[N_OUT + h] = sample(in, n, i - t + N_OUT + h + shift, ghost);
    __syncthreads();

    if (i < n) {
        float res = more ? out[i] : 0.0f;
        for (int j = 0; j < count; j++)
            res += taps_1d[j] * s[t + j];
        out[i] = res;
    }
}

void convolve_1d(const float *in, std::size_t n, const float *mask, int mask_width, int ghost,
                 float *out)
{
    int radius = mask_width / 2;
    unsigned grid = (unsigned)((n + N_OUT - 1) / N_OUT);
    for (int done = 0; done < mask_width; done += MAX_TAPS) {
        int count = mask_width - done < MAX_TAPS ? mask_width - done : MAX_TAPS;
        cudaMemcpyToSymbolAsync(taps_1d, mask + done, count * sizeof(float), 0,
                                cudaMemcpyDeviceToDevice);
        conv1d_part<<<grid, N_OUT>>>(in, (long long)n, count, done - radius, ghost, out, done > 0);
    }
}

/* ---- bytes: four taps of a row are one word -------------------------------------------------- */

#define QUADS_X 16                    /* of four outputs, side by side */
#define QUADS_Y 16
#define WORDS (QUADS_X + 8)           /* of a row of the tile */

__global__ void conv2d_dp4a(const unsigned char *in, int width, int height,
                            const unsigned char *mask, int m, int ghost, unsigned char *out)
{
    __shared__ unsigned tile[(QUADS_Y + 30) * WORDS];
    __shared__ unsigned taps[31 * 8];
    int r = m / 2, quads = (m + 3) / 4, words = QUADS_X + quads;
    int tid = threadIdx.y * QUADS_X + threadIdx.x;
    int x0 = blockIdx.x * QUADS_X * 4, y0 = blockIdx.y * QUADS_Y;

    for (int k = tid; k < m * quads; k += QUADS_X * QUADS_Y) {
        int j = k / quads, first = 4 * (k % quads);
        unsigned w = 0;
        for (int b = 0; b < 4; b++)
            if (first + b < m)
                w |= (unsigned)mask[j * m + first + b] << (8 * b);
        taps[k] = w;
    }
    unsigned char *bytes = (unsigned char *)tile;
    for (int k = tid; k < (QUADS_Y + m - 1) * words * 4; k += QUADS_X * QUADS_Y) {
        int row = k / (words * 4), col = k % (words * 4);
        bytes[k] = pixel(in, width, height, y0 - r + row, x0 - r + col, ghost);
    }
    __syncthreads();

    unsigned res[4] = {0, 0, 0, 0};
    for (int j = 0; j < m; j++) {
        const unsigned *line = tile + (threadIdx.y + j) * words + threadIdx.x;
        unsigned long long window = line[0];
        for (int q = 0; q < quads; q++) {
            window |= (unsigned long long)line[q + 1] << 32;
            unsigned w = taps[j * quads + q];
            for (int b = 0; b < 4; b++)
                res[b] = __dp4a((unsigned)(window >> (8 * b)), w, res[b]);
            window >>= 32;
        }
    }

    int x = x0 + 4 * threadIdx.x, y = y0 + threadIdx.y;
    if (y >= height)
        return;
    for (int b = 0; b < 4; b++)
        if (x + b < width)
            out[(size_t)y * width + x + b] = (unsigned char)res[b];
}

void convolve_2d_bytes(const unsigned char *in, int width, int height, const unsigned char *mask,
                       int mask_width, int ghost, unsigned char *out)
{
    dim3 block(QUADS_X, QUADS_Y);
    dim3 grid((width + QUADS_X * 4 - 1) / (QUADS_X * 4), (height + QUADS_Y - 1) / QUADS_Y);
    conv2d_dp4a<<<grid, block>>>(in, width, height, mask, mask_width, ghost, out);
}

/* ---- floats: large tiles, sixteen outputs per thread ----------------------------------------- */

#define TILE_X 128
#define TILE_Y 64

__global__ void conv2d_tile(const float *in, int width, int height, int m, int ghost, float *out)
{
    extern __shared__ float window[];
    int pitch = TILE_X + m - 1;
    int x0 = blockIdx.x * TILE_X, y0 = blockIdx.y * TILE_Y, r = m / 2;

    for (int row = threadIdx.y; row < TILE_Y + m - 1; row += blockDim.y)
        for (int col = threadIdx.x; col < pitch; col += blockDim.x)
            window[row * pitch + col] = pixel(in, width, height, y0 - r + row, x0 - r + col, ghost);
    __syncthreads();

    /* four columns, 32 apart; and four rows, 16 apart */
    for (int row = threadIdx.y; row < TILE_Y; row += blockDim.y) {
        float res[4] = {0, 0, 0, 0};
        for (int j = 0; j < m; j++)
            for (int k = 0; k < m; k++) {
                const float *p = window + (row + j) * pitch + threadIdx.x + k;
                float w = mask_2d[j * m + k];
                res[0] += w * p[0];
                res[1] += w * p[32];
                res[2] += w * p[64];
                res[3] += w * p[96];
            }
        int y = y0 + row;
        for (int c = 0; c < 4; c++) {
            int x = x0 + threadIdx.x + 32 * c;
            if (x < width && y < height)
                out[(size_t)y * width + x] = res[c];
        }
    }
}

void convolve_2d_float(const float *in, int width, int height, const float *mask, int mask_width,
                       int ghost, float *out)
{
    cudaMemcpyToSymbolAsync(mask_2d, mask, sizeof(float) * mask_width * mask_width, 0,
                            cudaMemcpyDeviceToDevice);
    int bytes = (TILE_X + mask_width - 1) * (TILE_Y + mask_width - 1) * (int)sizeof(float);
    dim3 grid((width + TILE_X - 1) / TILE_X, (height + TILE_Y - 1) / TILE_Y);
    conv2d_tile<<<grid, dim3(32, 16), bytes>>>(in, width, height, mask_width, ghost, out);
}

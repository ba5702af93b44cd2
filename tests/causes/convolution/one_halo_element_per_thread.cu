// cause: halo_missing line 58
// task: conv1d
// Each thread loads at most one element of the halo, so from 515 taps on the last part of the tile is never loaded.
#include "interface.cuh"

#define BLOCK 512          /* threads and outputs of a block, one dimension */
#define MAX_TAPS 1024      /* what fits into c_taps */

__constant__ float c_taps[MAX_TAPS];
__constant__ float c_mask[31 * 31];

/* ---- ghost cells ---------------------------------------------------------------------------- */

template <typename I>
__device__ I ghost_index(I k, I n, int ghost)
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
    int row = ghost_index(y, height, ghost);
    int col = ghost_index(x, width, ghost);
    if (row < 0 || col < 0)
        return 0;
    return in[(size_t)row * width + col];
}

__device__ float sample(const float *in, long long n, long long k, int ghost)
{
    long long s = ghost_index(k, n, ghost);
    return s < 0 ? 0.0f : in[s];
}

/* ---- one dimension -------------------------------------------------------------------------- */

/* c_taps holds `count` taps, the first of which belongs to in[i + shift]. */
__global__ void conv1d_part(const float *in, long long n, int count, int shift, int ghost,
                            float *out, bool more)
{
    __shared__ float s[BLOCK + MAX_TAPS - 1];
    int t = threadIdx.x;
    long long i = (long long)blockIdx.x * BLOCK + t;
    int halo = count - 1;

    s[t] = sample(in, n, i + shift, ghost);
    if (t < halo)
        s[BLOCK + t] = sample(in, n, i + BLOCK + shift, ghost);
    __syncthreads();

    if (i < n) {
        float acc = more ? out[i] : 0.0f;
        for (int j = 0; j < count; j++)
            acc += c_taps[j] * s[t + j];
        out[i] = acc;
    }
}

void convolve_1d(const float *in, std::size_t n, const float *mask, int mask_width, int ghost,
                 float *out)
{
    int radius = mask_width / 2;
    unsigned grid = (unsigned)((n + BLOCK - 1) / BLOCK);
    for (int done = 0; done < mask_width; done += MAX_TAPS) {
        int count = mask_width - done < MAX_TAPS ? mask_width - done : MAX_TAPS;
        cudaMemcpyToSymbolAsync(c_taps, mask + done, count * sizeof(float), 0,
                                cudaMemcpyDeviceToDevice);
        conv1d_part<<<grid, BLOCK>>>(in, (long long)n, count, done - radius, ghost, out, done > 0);
    }
}

/* ---- bytes: four taps of a row are one word -------------------------------------------------- */

#define GROUPS 16                    /* of four outputs, side by side */
#define ROWS 16
#define WORDS (GROUPS + 8)           /* of a row of the tile */

__global__ void conv2d_dp4a(const unsigned char *in, int width, int height,
                            const unsigned char *mask, int m, int ghost, unsigned char *out)
{
    __shared__ unsigned tile[(ROWS + 30) * WORDS];
    __shared__ unsigned taps[31 * 8];
    int r = m / 2, quads = (m + 3) / 4, words = GROUPS + quads;
    int tid = threadIdx.y * GROUPS + threadIdx.x;
    int x0 = blockIdx.x * GROUPS * 4, y0 = blockIdx.y * ROWS;

    for (int k = tid; k < m * quads; k += GROUPS * ROWS) {
        int j = k / quads, first = 4 * (k % quads);
        unsigned w = 0;
        for (int b = 0; b < 4; b++)
            if (first + b < m)
                w |= (unsigned)mask[j * m + first + b] << (8 * b);
        taps[k] = w;
    }
    unsigned char *bytes = (unsigned char *)tile;
    for (int k = tid; k < (ROWS + m - 1) * words * 4; k += GROUPS * ROWS) {
        int row = k / (words * 4), col = k % (words * 4);
        bytes[k] = pixel(in, width, height, y0 - r + row, x0 - r + col, ghost);
    }
    __syncthreads();

    unsigned acc[4] = {0, 0, 0, 0};
    for (int j = 0; j < m; j++) {
        const unsigned *line = tile + (threadIdx.y + j) * words + threadIdx.x;
        unsigned long long window = line[0];
        for (int q = 0; q < quads; q++) {
            window |= (unsigned long long)line[q + 1] << 32;
            unsigned w = taps[j * quads + q];
            for (int b = 0; b < 4; b++)
                acc[b] = __dp4a((unsigned)(window >> (8 * b)), w, acc[b]);
            window >>= 32;
        }
    }

    int x = x0 + 4 * threadIdx.x, y = y0 + threadIdx.y;
    if (y >= height)
        return;
    for (int b = 0; b < 4; b++)
        if (x + b < width)
            out[(size_t)y * width + x + b] = (unsigned char)acc[b];
}

void convolve_2d_bytes(const unsigned char *in, int width, int height, const unsigned char *mask,
                       int mask_width, int ghost, unsigned char *out)
{
    dim3 block(GROUPS, ROWS);
    dim3 grid((width + GROUPS * 4 - 1) / (GROUPS * 4), (height + ROWS - 1) / ROWS);
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
        float acc[4] = {0, 0, 0, 0};
        for (int j = 0; j < m; j++)
            for (int k = 0; k < m; k++) {
                const float *p = window + (row + j) * pitch + threadIdx.x + k;
                float w = c_mask[j * m + k];
                acc[0] += w * p[0];
                acc[1] += w * p[32];
                acc[2] += w * p[64];
                acc[3] += w * p[96];
            }
        int y = y0 + row;
        for (int c = 0; c < 4; c++) {
            int x = x0 + threadIdx.x + 32 * c;
            if (x < width && y < height)
                out[(size_t)y * width + x] = acc[c];
        }
    }
}

void convolve_2d_float(const float *in, int width, int height, const float *mask, int mask_width,
                       int ghost, float *out)
{
    cudaMemcpyToSymbolAsync(c_mask, mask, sizeof(float) * mask_width * mask_width, 0,
                            cudaMemcpyDeviceToDevice);
    int bytes = (TILE_X + mask_width - 1) * (TILE_Y + mask_width - 1) * (int)sizeof(float);
    dim3 grid((width + TILE_X - 1) / TILE_X, (height + TILE_Y - 1) / TILE_Y);
    cudaFuncSetAttribute(conv2d_tile, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
    conv2d_tile<<<grid, dim3(32, 16), bytes>>>(in, width, height, mask_width, ghost, out);
}

// cause: transposed line 103
// task: conv2d_bytes
// Four taps of a column instead of a row are packed into a word, which transposes the mask and is right for symmetric ones only.
#include "interface.cuh"

#define BLOCK_1D 512          /* threads and outputs of a block, one dimension */
#define MAX_TAPS 1024      /* what fits into const_signal */

__constant__ float const_signal[MAX_TAPS];
__constant__ float const_image[31 * 31];

/* ---- ghost cells ---------------------------------------------------------------------------- */

template <typename I>
__device__ I clampIndex(I k, I n, int ghost)
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
__device__ P fetch(const P *in, int width, int height, int y, int x, int ghost)
{
    int row = clampIndex(y, height, ghost);
    int col = clampIndex(x, width, ghost);
    if (row < 0 || col < 0)
        return 0;
    return in[(size_t)row * width + col];
}

__device__ float fetch1d(const float *in, long long n, long long k, int ghost)
{
    long long s = clampIndex(k, n, ghost);
    return s < 0 ? 0.0f : in[s];
}

/* ---- one dimension -------------------------------------------------------------------------- */

/* const_signal holds `count` packed, the first of which belongs to in[i + shift]. */
__global__ void signal_part(const float *in, long long n, int count, int shift, int ghost,
                            float *out, bool more)
{
    __shared__ float s[BLOCK_1D + MAX_TAPS - 1];
    int t = threadIdx.x;
    long long i = (long long)blockIdx.x * BLOCK_1D + t;
    int halo = count - 1;

    s[t] = fetch1d(in, n, i + shift, ghost);
    for (int h = t; h < halo; h += BLOCK_1D)
        s[BLOCK_1D + h] = fetch1d(in, n, i - t + BLOCK_1D + h + shift, ghost);
    __syncthreads();

    if (i < n) {
        float acc = more ? out[i] : 0.0f;
        for (int j = 0; j < count; j++)
            acc += const_signal[j] * s[t + j];
        out[i] = acc;
    }
}

void convolve_1d(const float *in, std::size_t n, const float *mask, int mask_width, int ghost,
                 float *out)
{
    int radius = mask_width / 2;
    unsigned grid = (unsigned)((n + BLOCK_1D - 1) / BLOCK_1D);
    for (int done = 0; done < mask_width; done += MAX_TAPS) {
        int count = mask_width - done < MAX_TAPS ? mask_width - done : MAX_TAPS;
        cudaMemcpyToSymbolAsync(const_signal, mask + done, count * sizeof(float), 0,
                                cudaMemcpyDeviceToDevice);
        signal_part<<<grid, BLOCK_1D>>>(in, (long long)n, count, done - radius, ghost, out, done > 0);
    }
}

/* ---- bytes: four packed of a row are one word -------------------------------------------------- */

#define GROUPS 16                    /* of four outputs, side by side */
#define ROWS 16
#define WORDS (GROUPS + 8)           /* of a row of the tile */

__global__ void image_bytes(const unsigned char *in, int width, int height,
                            const unsigned char *mask, int m, int ghost, unsigned char *out)
{
    __shared__ unsigned tile[(ROWS + 30) * WORDS];
    __shared__ unsigned packed[31 * 8];
    int r = m / 2, quads = (m + 3) / 4, words = GROUPS + quads;
    int tid = threadIdx.y * GROUPS + threadIdx.x;
    int x0 = blockIdx.x * GROUPS * 4, y0 = blockIdx.y * ROWS;

    for (int k = tid; k < m * quads; k += GROUPS * ROWS) {
        int j = k / quads, first = 4 * (k % quads);
        unsigned w = 0;
        for (int b = 0; b < 4; b++)
            if (first + b < m)
                w |= (unsigned)mask[(first + b) * m + j] << (8 * b);
        packed[k] = w;
    }
    unsigned char *bytes = (unsigned char *)tile;
    for (int k = tid; k < (ROWS + m - 1) * words * 4; k += GROUPS * ROWS) {
        int row = k / (words * 4), col = k % (words * 4);
        bytes[k] = fetch(in, width, height, y0 - r + row, x0 - r + col, ghost);
    }
    __syncthreads();

    unsigned acc[4] = {0, 0, 0, 0};
    for (int j = 0; j < m; j++) {
        const unsigned *line = tile + (threadIdx.y + j) * words + threadIdx.x;
        unsigned long long win = line[0];
        for (int q = 0; q < quads; q++) {
            win |= (unsigned long long)line[q + 1] << 32;
            unsigned w = packed[j * quads + q];
            for (int b = 0; b < 4; b++)
                acc[b] = __dp4a((unsigned)(win >> (8 * b)), w, acc[b]);
            win >>= 32;
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
    image_bytes<<<grid, block>>>(in, width, height, mask, mask_width, ghost, out);
}

/* ---- floats: large tiles, sixteen outputs per thread ----------------------------------------- */

#define TILE_X 128
#define TILE_Y 64

__global__ void image_floats(const float *in, int width, int height, int m, int ghost, float *out)
{
    extern __shared__ float win[];
    int pitch = TILE_X + m - 1;
    int x0 = blockIdx.x * TILE_X, y0 = blockIdx.y * TILE_Y, r = m / 2;

    for (int row = threadIdx.y; row < TILE_Y + m - 1; row += blockDim.y)
        for (int col = threadIdx.x; col < pitch; col += blockDim.x)
            win[row * pitch + col] = fetch(in, width, height, y0 - r + row, x0 - r + col, ghost);
    __syncthreads();

    /* four columns, 32 apart; and four rows, 16 apart */
    for (int row = threadIdx.y; row < TILE_Y; row += blockDim.y) {
        float acc[4] = {0, 0, 0, 0};
        for (int j = 0; j < m; j++)
            for (int k = 0; k < m; k++) {
                const float *p = win + (row + j) * pitch + threadIdx.x + k;
                float w = const_image[j * m + k];
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
    cudaMemcpyToSymbolAsync(const_image, mask, sizeof(float) * mask_width * mask_width, 0,
                            cudaMemcpyDeviceToDevice);
    int bytes = (TILE_X + mask_width - 1) * (TILE_Y + mask_width - 1) * (int)sizeof(float);
    dim3 grid((width + TILE_X - 1) / TILE_X, (height + TILE_Y - 1) / TILE_Y);
    cudaFuncSetAttribute(image_floats, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
    image_floats<<<grid, dim3(32, 16), bytes>>>(in, width, height, mask_width, ghost, out);
}

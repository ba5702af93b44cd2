// cause: halo_missing line 66
// task: conv2d_float
// The sides of the halo are loaded for the tile's own rows only, so its four corners stay empty: all masks wider than 1.

#include "interface.cuh"

// ===== 2D float convolution with a shared tile =====
// The tile is loaded in three parts: the middle, the strips above and below, the strips at the sides.

static const int T = 16;          // output tile T x T, one thread per output
static const int R_MAX = 15;
static const int SIDE = T + 2 * R_MAX;

void convolve_1d(const float* in, std::size_t n, const float* mask, int mask_width, int ghost,
                 float* out) {
    // TODO
}

void convolve_2d_bytes(const unsigned char* in, int width, int height, const unsigned char* mask,
                       int mask_width, int ghost, unsigned char* out) {
    // TODO
}

__device__ int clampOrMirror(int i, int n, int ghost) {
    if (ghost == 1) return i < 0 ? 0 : (i >= n ? n - 1 : i);
    int period = 2 * n;
    i = ((i % period) + period) % period;
    return i < n ? i : period - 1 - i;
}

__device__ float fetch(const float* in, int w, int h, int x, int y, int ghost) {
    bool inside = x >= 0 && x < w && y >= 0 && y < h;
    if (!inside) {
        if (ghost == 0) return 0.0f;
        x = clampOrMirror(x, w, ghost);
        y = clampOrMirror(y, h, ghost);
    }
    return in[y * w + x];
}

__global__ void conv2dTiled(const float* in, int w, int h, const float* mask, int m, int ghost,
                            float* out) {
    __shared__ float tile[SIDE][SIDE];
    __shared__ float k[31 * 31];

    const int r = m / 2;
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int x = blockIdx.x * T + tx;
    const int y = blockIdx.y * T + ty;
    const int left = blockIdx.x * T - r;   // image coordinates of tile[0][0]
    const int top = blockIdx.y * T - r;

    // mask
    for (int i = ty * T + tx; i < m * m; i += T * T) k[i] = mask[i];

    // middle
    tile[ty + r][tx + r] = fetch(in, w, h, x, y, ghost);

    // above and below
    for (int j = ty; j < r; j += T) {
        tile[j][tx + r] = fetch(in, w, h, x, top + j, ghost);
        tile[r + T + j][tx + r] = fetch(in, w, h, x, top + r + T + j, ghost);
    }

    // left and right
    for (int j = ty + r; j < T + r; j += T) {
        for (int i = tx; i < r; i += T) {
            tile[j][i] = fetch(in, w, h, left + i, top + j, ghost);
            tile[j][r + T + i] = fetch(in, w, h, left + r + T + i, top + j, ghost);
        }
    }
    __syncthreads();

    if (x < w && y < h) {
        float s = 0.0f;
        for (int a = 0; a < m; a++)
            for (int b = 0; b < m; b++) s += k[a * m + b] * tile[ty + a][tx + b];
        out[y * w + x] = s;
    }
}

void convolve_2d_float(const float* in, int width, int height, const float* mask, int mask_width,
                       int ghost, float* out) {
    dim3 block(T, T);
    dim3 grid((width + T - 1) / T, (height + T - 1) / T);
    conv2dTiled<<<grid, block>>>(in, width, height, mask, mask_width, ghost, out);
}

// cause: halo_missing line 51
// task: conv2d_bytes
// The halo is loaded at the four sides of the tile but not at its corners, which stay unwritten: wrong near the corners of every tile for masks of 3 x 3 and more.
#include "interface.cuh"

// index of the element that stands for k, or -1 for a zero
__device__ long long cell(long long k, long long n, int ghost) {
    if (k >= 0 && k < n) return k;
    if (ghost == 0) return -1;
    if (ghost == 1) return k < 0 ? 0 : n - 1;
    k %= 2 * n;
    if (k < 0) k += 2 * n;
    return k < n ? k : 2 * n - 1 - k;
}

__global__ void conv1(const float* in, long long n, const float* mask, int m, int ghost, float* out) {
    long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float sum = 0.0f;
    for (int j = 0; j < m; j++) {
        long long k = cell(i - m / 2 + j, n, ghost);
        if (k >= 0) sum += mask[j] * in[k];
    }
    out[i] = sum;
}

void convolve_1d(const float* in, std::size_t n, const float* mask, int mask_width, int ghost,
                 float* out) {
    conv1<<<(unsigned int)((n + 255) / 256), 256>>>(in, n, mask, mask_width, ghost, out);
}

#define TILE 16
#define MAXR 15

__global__ void tile_bytes(const unsigned char* in, int w, int h, const unsigned char* mask, int m,
                           int ghost, unsigned char* out, int tiles_x) {
    __shared__ unsigned char s[TILE + 2 * MAXR][TILE + 2 * MAXR];
    const int tx = threadIdx.x, ty = threadIdx.y, r = m / 2;
    const int x = (blockIdx.x % tiles_x) * TILE + tx;
    const int y = (blockIdx.x / tiles_x) * TILE + ty;
    // dx, dy: 0 or a whole tile to either side
    auto load = [&](int dx, int dy) {
        long long xx = cell(x + dx, w, ghost), yy = cell(y + dy, h, ghost);
        s[ty + dy + r][tx + dx + r] = (xx < 0 || yy < 0) ? 0 : in[yy * w + xx];
    };
    const bool left = tx >= TILE - r, right = tx < r, top = ty >= TILE - r, bottom = ty < r;
    load(0, 0);
    if (left) load(-TILE, 0);
    if (right) load(TILE, 0);
    if (top) load(0, -TILE);
    if (bottom) load(0, TILE);
    __syncthreads();

    if (x < w && y < h) {
        unsigned int sum = 0;
        for (int j = 0; j < m; j++)
            for (int k = 0; k < m; k++) sum += mask[j * m + k] * s[ty + j][tx + k];
        out[(size_t)y * w + x] = (unsigned char)sum;
    }
}

void convolve_2d_bytes(const unsigned char* in, int width, int height, const unsigned char* mask,
                       int mask_width, int ghost, unsigned char* out) {
    int tiles_x = (width + TILE - 1) / TILE, tiles_y = (height + TILE - 1) / TILE;
    tile_bytes<<<(unsigned)tiles_x * tiles_y, dim3(TILE, TILE)>>>(in, width, height, mask,
                                                                  mask_width, ghost, out, tiles_x);
}

__global__ void image_floats(const float* in, int w, int h, const float* mask, int m, int ghost,
                             float* out)
{
    size_t id = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (id >= (size_t)w * h) return;
    int x = id % w, y = id / w;
    float sum = 0;
    for (int j = 0; j < m; ++j) {
        for (int k = 0; k < m; ++k) {
            long long yy = cell(y - m / 2 + j, h, ghost);
            long long xx = cell(x - m / 2 + k, w, ghost);
            if (yy >= 0 && xx >= 0) sum += mask[j * m + k] * in[yy * w + xx];
        }
    }
    out[id] = sum;
}

void convolve_2d_float(const float* in, int width, int height, const float* mask, int mask_width,
                       int ghost, float* out)
{
    size_t pixels = (size_t)width * height;
    image_floats<<<(unsigned int)((pixels + 191) / 192), 192>>>(in, width, height, mask, mask_width,
                                                               ghost, out);
}

// cause: size_in_elements line 70
// task: conv2d_float
// The launch asks for one byte of dynamic shared memory per element of the tile, which is enough for bytes but not for floats; shows with every image.
#include "interface.cuh"

#define TILE 16
#define MAX_MASK 31

void convolve_1d(const float* in, std::size_t n, const float* mask, int mask_width, int ghost,
                 float* out) {
    // TODO
}

__device__ bool locate(int &k, int n, int ghost)
{
    if (k >= 0 && k < n) return true;
    switch (ghost) {
    case 1:
        k = k < 0 ? 0 : n - 1;
        return true;
    case 2:
        while (k < 0 || k >= n)
            k = k < 0 ? -1 - k : 2 * n - 1 - k;
        return true;
    }
    return false;
}

/* T: type of the pixels, S: type of the sum. The block is as large as the output tile, its threads
   load the input tile row by row. */
template <typename T, typename S>
__global__ void conv_tiled(const T *in, int width, int height, const T *mask, int m, int ghost, T *out)
{
    extern __shared__ __align__(16) unsigned char raw[];
    __shared__ T w[MAX_MASK * MAX_MASK];
    T *tile = reinterpret_cast<T *>(raw);

    const int r = m / 2;
    const int side = TILE + 2 * r;
    const int x0 = blockIdx.x * TILE - r;
    const int y0 = blockIdx.y * TILE - r;

    for (int k = threadIdx.y * TILE + threadIdx.x; k < m * m; k += TILE * TILE)
        w[k] = mask[k];
    for (int ty = threadIdx.y; ty < side; ty += TILE)
        for (int tx = threadIdx.x; tx < side; tx += TILE) {
            int x = x0 + tx, y = y0 + ty;
            bool there = locate(x, width, ghost) && locate(y, height, ghost);
            tile[ty * side + tx] = there ? in[(size_t)y * width + x] : T(0);
        }
    __syncthreads();

    const int x = blockIdx.x * TILE + threadIdx.x;
    const int y = blockIdx.y * TILE + threadIdx.y;
    if (x < width && y < height) {
        S sum = 0;
        for (int j = 0; j < m; j++)
            for (int k = 0; k < m; k++)
                sum += S(w[j * m + k]) * S(tile[(threadIdx.y + j) * side + threadIdx.x + k]);
        out[(size_t)y * width + x] = T(sum);
    }
}

template <typename T, typename S>
void launch(const T *in, int width, int height, const T *mask, int m, int ghost, T *out)
{
    dim3 threads(TILE, TILE);
    dim3 blocks((width + TILE - 1) / TILE, (height + TILE - 1) / TILE);
    size_t side = TILE + m - 1;
    conv_tiled<T, S><<<blocks, threads, side * side>>>(in, width, height, mask, m, ghost, out);
}

void convolve_2d_bytes(const unsigned char *in, int width, int height, const unsigned char *mask,
                       int mask_width, int ghost, unsigned char *out)
{
    launch<unsigned char, unsigned>(in, width, height, mask, mask_width, ghost, out);
}

void convolve_2d_float(const float *in, int width, int height, const float *mask, int mask_width,
                       int ghost, float *out)
{
    launch<float, float>(in, width, height, mask, mask_width, ghost, out);
}

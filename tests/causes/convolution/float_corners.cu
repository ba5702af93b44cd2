// cause: halo_missing line 52 or 53
// task: conv2d_float
// Each thread copies its cell, the side cells and the top and bottom cells, but only two of the four corner blocks of the halo are filled.
#include "interface.cuh"

#define T 16
#define RMAX 15
#define PITCH (T + 2 * RMAX)

__device__ int ghost_index(int k, int n, int ghost)
{
    if (ghost == 1)
        return k < 0 ? 0 : (k >= n ? n - 1 : k);
    if (ghost == 2) {
        int period = 2 * n;
        k = ((k % period) + period) % period;
        return k < n ? k : period - 1 - k;
    }
    return (k < 0 || k >= n) ? -1 : k;
}

__device__ float get(const float *in, int w, int h, int x, int y, int ghost)
{
    x = ghost_index(x, w, ghost);
    y = ghost_index(y, h, ghost);
    return (x < 0 || y < 0) ? 0.0f : in[(size_t)y * w + x];
}

__global__ void conv2d(const float *in, int w, int h, const float *mask, int m, int ghost, float *out)
{
    __shared__ float tile[PITCH * PITCH];
    __shared__ float coef[31 * 31];
    int tx = threadIdx.x, ty = threadIdx.y;
    int x = blockIdx.x * T + tx, y = blockIdx.y * T + ty;
    int r = m / 2;

    for (int i = ty * T + tx; i < m * m; i += T * T)
        coef[i] = mask[i];

#define LOAD(dx, dy) tile[(ty + r + (dy)) * PITCH + tx + r + (dx)] = get(in, w, h, x + (dx), y + (dy), ghost)

    LOAD(0, 0);
    if (tx < r) {
        LOAD(-r, 0);
        LOAD(T, 0);
    }
    if (ty < r) {
        LOAD(0, -r);
        LOAD(0, T);
    }
    if (tx < r && ty < r) {
        LOAD(-r, -r);
        LOAD(T, T);
    }
    __syncthreads();

    if (x < w && y < h) {
        float acc = 0;
        for (int j = 0; j < m; j++)
            for (int k = 0; k < m; k++)
                acc += coef[j * m + k] * tile[(ty + j) * PITCH + tx + k];
        out[(size_t)y * w + x] = acc;
    }
}

void convolve_2d_float(const float *in, int width, int height, const float *mask, int mask_width, int ghost, float *out)
{
    dim3 threads(T, T);
    dim3 blocks((width + T - 1) / T, (height + T - 1) / T);
    conv2d<<<blocks, threads>>>(in, width, height, mask, mask_width, ghost, out);
}

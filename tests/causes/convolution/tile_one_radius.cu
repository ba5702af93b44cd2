// cause: array_too_small line 8
// task: conv2d_float
// the tile has room for one radius instead of two: masks wider than 16 write beyond its end
#include "interface.cuh"

#define OUT_T   16
#define MAX_R   15
#define IN_T    (OUT_T + MAX_R)

__device__ int ghost_index(int i, int n, int policy)
{
    if (0 <= i && i < n) return i;
    if (policy == 0) return -1;
    if (policy == 1) return i < 0 ? 0 : n - 1;
    i %= 2 * n;
    if (i < 0) i += 2 * n;
    return i >= n ? 2 * n - 1 - i : i;
}

__global__ void conv2dTiled(const float *in, int width, int height,
                            const float *mask, int mask_width, int policy, float *out)
{
    __shared__ float sm[IN_T * IN_T];

    int r = mask_width / 2;
    int side = OUT_T + 2 * r;
    int tid = threadIdx.y * OUT_T + threadIdx.x;

    // rows of the tile lie close together, "side" apart
    for (int s = tid; s < side * side; s += OUT_T * OUT_T) {
        int gy = ghost_index((int)(blockIdx.y * OUT_T) + s / side - r, height, policy);
        int gx = ghost_index((int)(blockIdx.x * OUT_T) + s % side - r, width, policy);
        sm[s] = (gx >= 0 && gy >= 0) ? in[(size_t)gy * width + gx] : 0.f;
    }
    __syncthreads();

    int x = blockIdx.x * OUT_T + threadIdx.x;
    int y = blockIdx.y * OUT_T + threadIdx.y;
    if (x >= width || y >= height)
        return;

    const float *p = sm + threadIdx.y * side + threadIdx.x;
    float acc = 0.f;
    for (int j = 0; j < mask_width; j++, p += side)
        for (int k = 0; k < mask_width; k++)
            acc += __ldg(&mask[j * mask_width + k]) * p[k];
    out[(size_t)y * width + x] = acc;
}

void convolve_2d_float(const float *in, int width, int height, const float *mask,
                       int mask_width, int ghost, float *out)
{
    dim3 threads(OUT_T, OUT_T);
    dim3 blocks((width + OUT_T - 1) / OUT_T, (height + OUT_T - 1) / OUT_T);
    conv2dTiled<<<blocks, threads>>>(in, width, height, mask, mask_width, ghost, out);
}

// cause: use_after_free line 69
// task: conv2d_float
// The padded copy is freed at the end of each call while the static pointer and its capacity stay, so a later call that needs no more room works in freed memory.
#include "interface.cuh"

__device__ __host__ inline int div_up(int a, int b) { return (a + b - 1) / b; }

__device__ int inside(int k, int n, int ghost)
{
    if (ghost == 1)
        return k < 0 ? 0 : k < n ? k : n - 1;
    k %= 2 * n;
    if (k < 0)
        k += 2 * n;
    return k < n ? k : 2 * n - 1 - k;
}

/* first kernel: a copy of the image with a frame of r ghost cells */
__global__ void pad(const float *in, int width, int height, int r, int ghost, float *padded)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    int pw = width + 2 * r;
    if (x >= pw || y >= height + 2 * r)
        return;
    int sx = x - r, sy = y - r;
    float v = 0;
    if (sx >= 0 && sx < width && sy >= 0 && sy < height)
        v = in[(size_t)sy * width + sx];
    else if (ghost != 0)
        v = in[(size_t)inside(sy, height, ghost) * width + inside(sx, width, ghost)];
    padded[(size_t)y * pw + x] = v;
}

/* second kernel: no conditions needed any more */
__global__ void conv(const float *padded, int width, int height, const float *mask, int m, float *out)
{
    __shared__ float w[31 * 31];
    for (int i = threadIdx.y * blockDim.x + threadIdx.x; i < m * m; i += blockDim.x * blockDim.y)
        w[i] = mask[i];
    __syncthreads();
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height) {
        const float *p = padded + (size_t)y * (width + m - 1) + x;
        float s = 0;
        for (int j = 0; j < m; j++, p += width + m - 1)
            for (int k = 0; k < m; k++)
                s += w[j * m + k] * p[k];
        out[(size_t)y * width + x] = s;
    }
}

static float *frame;
static size_t frame_cells;

void convolve_2d_float(const float *in, int width, int height, const float *mask, int mask_width,
                       int ghost, float *out)
{
    int r = mask_width / 2, pw = width + 2 * r, ph = height + 2 * r;
    size_t cells = (size_t)pw * ph;
    if (cells > frame_cells) {
        cudaMalloc(&frame, cells * sizeof(float));
        frame_cells = cells;
    }
    dim3 b(32, 8);
    pad<<<dim3(div_up(pw, 32), div_up(ph, 8)), b>>>(in, width, height, r, ghost, frame);
    conv<<<dim3(div_up(width, 32), div_up(height, 8)), b>>>(frame, width, height, mask, mask_width, out);
    cudaFree(frame);
}

// cause: missing_bounds_check line 53
// task: conv2d_float
// a thread computes four rows but only the first is compared with the height: heights that are no multiple of 4 are overrun
#include "interface.cuh"

#define XT 32
#define YT 4
#define ROWS 4

__constant__ float weights[961];

__global__ void conv_rows(const float *src, int nx, int ny, int m, int ghost, float *dst)
{
    extern __shared__ float buf[];
    const int pitch = XT + m - 1;
    const int lines = YT * ROWS + m - 1;
    const int bx = blockIdx.x * XT, by = blockIdx.y * (YT * ROWS);

    for (int l = threadIdx.y; l < lines; l += YT) {
        int gy = by + l - m / 2;
        bool okY = gy >= 0 && gy < ny;
        if (ghost == 1) gy = gy < 0 ? 0 : (gy < ny ? gy : ny - 1);
        while (ghost == 2 && (gy < 0 || gy >= ny)) gy = gy < 0 ? ~gy : 2 * ny + ~gy;

        for (int c = threadIdx.x; c < pitch; c += XT) {
            int gx = bx + c - m / 2;
            bool okX = gx >= 0 && gx < nx;
            if (ghost == 1) gx = gx < 0 ? 0 : (gx < nx ? gx : nx - 1);
            while (ghost == 2 && (gx < 0 || gx >= nx)) gx = gx < 0 ? ~gx : 2 * nx + ~gx;

            buf[l * pitch + c] = (ghost || (okX && okY)) ? src[(size_t)gy * nx + gx] : 0.0f;
        }
    }
    __syncthreads();

    const int x = bx + threadIdx.x;
    const int y = by + threadIdx.y * ROWS;
    if (x >= nx || y >= ny)
        return;

    float acc[ROWS] = { 0.0f };
    for (int k = 0; k < m; k++) {
        const float *col = buf + threadIdx.y * ROWS * pitch + threadIdx.x + k;
        for (int j = 0; j < m; j++) {
            float wgt = weights[j * m + k];
#pragma unroll
            for (int q = 0; q < ROWS; q++)
                acc[q] += wgt * col[(j + q) * pitch];
        }
    }
#pragma unroll
    for (int q = 0; q < ROWS; q++)
        dst[(size_t)(y + q) * nx + x] = acc[q];
}

void convolve_2d_float(const float *in, int width, int height, const float *mask, int mask_width, int ghost, float *out)
{
    cudaMemcpyToSymbol(weights, mask, mask_width * mask_width * sizeof(float), 0, cudaMemcpyDeviceToDevice);
    const dim3 threads(XT, YT);
    const dim3 blocks((width + XT - 1) / XT, (height + YT * ROWS - 1) / (YT * ROWS));
    const int smem = (XT + mask_width - 1) * (YT * ROWS + mask_width - 1) * (int)sizeof(float);
    conv_rows<<<blocks, threads, smem>>>(in, width, height, mask_width, ghost, out);
}

// cause: host_pointer_in_kernel line 61
// task: conv2d_bytes
// The name of the __constant__ array is passed as an argument: in host code that is the address of a host shadow, which the kernel must not follow.
#include "interface.cuh"

__constant__ unsigned char c_weights[961];

// index of the element that stands for k, or -1 for a zero
__device__ long long source(long long k, long long n, int ghost) {
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
        long long k = source(i - m / 2 + j, n, ghost);
        if (k >= 0) sum += mask[j] * in[k];
    }
    out[i] = sum;
}

void convolve_1d(const float* in, std::size_t n, const float* mask, int mask_width, int ghost,
                 float* out) {
    conv1<<<(unsigned int)((n + 255) / 256), 256>>>(in, n, mask, mask_width, ghost, out);
}

__global__ void apply(const unsigned char *pic, int cols, int rows, const unsigned char *weights,
                      int m, int ghost, unsigned char *result)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    int r0 = blockIdx.y * blockDim.y + threadIdx.y;
    if (c >= cols)
        return;
    for (int r = r0; r < rows; r += gridDim.y * blockDim.y) {
        unsigned int total = 0;
        for (int j = 0; j < m; j++) {
            for (int k = 0; k < m; k++) {
                long long rr = source(r - m / 2 + j, rows, ghost);
                long long cc = source(c - m / 2 + k, cols, ghost);
                if (rr >= 0 && cc >= 0)
                    total += weights[j * m + k] * pic[rr * cols + cc];
            }
        }
        result[(size_t)r * cols + c] = (unsigned char)total;
    }
}

void convolve_2d_bytes(const unsigned char *in, int width, int height, const unsigned char *mask,
                       int mask_width, int ghost, unsigned char *out)
{
    cudaMemcpyToSymbol(c_weights, mask, mask_width * mask_width, 0, cudaMemcpyDeviceToDevice);
    dim3 threads(32, 8);
    dim3 blocks((width + 31) / 32, min(1024, (height + 7) / 8));
    apply<<<blocks, threads>>>(in, width, height, c_weights, mask_width, ghost, out);
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
            long long yy = source(y - m / 2 + j, h, ghost);
            long long xx = source(x - m / 2 + k, w, ghost);
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

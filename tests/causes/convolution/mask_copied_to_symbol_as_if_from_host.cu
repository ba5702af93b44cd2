// cause: wrong_copy_direction line 81
// task: conv2d_float
// cudaMemcpyToSymbol copies from the host unless told otherwise, but the mask lies on the device; in every case
#include "interface.cuh"

// 2D convolution of floats. The block is as large as the *input* tile, each
// thread loads one element; the threads of the halo rest while the others compute.
// That needs 1024 threads at most, so large masks go through a simple kernel.

const int MAX_WIDTH = 31;
const int BLOCK = 32;                 // input tile, with halo
const int MAX_TILED_WIDTH = 15;       // leaves at least 18 x 18 outputs

__constant__ float Mask[MAX_WIDTH][MAX_WIDTH];    // rows packed, see tap()

template <int ghost>
__device__ long source(long k, long n) {
    if (k >= 0 && k < n) return k;
    if (ghost == 0) return -1;
    if (ghost == 1) return k < 0 ? 0 : n - 1;
    long m = k % (2 * n);
    if (m < 0) m += 2 * n;
    return m < n ? m : 2 * n - 1 - m;
}

template <int ghost>
__device__ float pixel(const float* in, int x, int y, int width, int height) {
    const long c = source<ghost>(x, width), r = source<ghost>(y, height);
    return c < 0 || r < 0 ? 0.f : in[r * width + c];
}

__device__ float tap(int j, int k, int mask_width) { return (&Mask[0][0])[j * mask_width + k]; }

template <int ghost>
__global__ void conv_tiled(const float* in, int width, int height, int mw, float* out) {
    __shared__ float N_s[BLOCK][BLOCK];
    const int outputs = BLOCK - mw + 1;
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int x = blockIdx.x * outputs + tx - mw / 2;
    const int y = blockIdx.y * outputs + ty - mw / 2;

    N_s[ty][tx] = pixel<ghost>(in, x, y, width, height);
    __syncthreads();

    const int ox = blockIdx.x * outputs + tx, oy = blockIdx.y * outputs + ty;
    if (tx < outputs && ty < outputs && ox < width && oy < height) {
        float sum = 0.f;
        for (int j = 0; j < mw; ++j)
            for (int k = 0; k < mw; ++k) sum += tap(j, k, mw) * N_s[ty + j][tx + k];
        out[(size_t)oy * width + ox] = sum;
    }
}

template <int ghost>
__global__ void conv_simple(const float* in, int width, int height, int mw, float* out) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    float sum = 0.f;
    for (int j = 0; j < mw; ++j)
        for (int k = 0; k < mw; ++k)
            sum += tap(j, k, mw) * pixel<ghost>(in, x - mw / 2 + k, y - mw / 2 + j, width, height);
    out[(size_t)y * width + x] = sum;
}

template <int ghost>
void run(const float* in, int width, int height, int mw, float* out) {
    auto blocks = [](int size, int each) { return unsigned((size + each - 1) / each); };
    if (mw <= MAX_TILED_WIDTH) {
        const int outputs = BLOCK - mw + 1;
        const dim3 grid(blocks(width, outputs), blocks(height, outputs));
        conv_tiled<ghost><<<grid, dim3(BLOCK, BLOCK)>>>(in, width, height, mw, out);
    } else {
        const dim3 grid(blocks(width, 32), blocks(height, 8));
        conv_simple<ghost><<<grid, dim3(32, 8)>>>(in, width, height, mw, out);
    }
}

void convolve_2d_float(const float* in, int width, int height, const float* mask, int mask_width,
                       int ghost, float* out) {
    cudaMemcpyToSymbol(Mask, mask, mask_width * mask_width * sizeof(float));
    switch (ghost) {
        case 0: run<0>(in, width, height, mask_width, out); break;
        case 1: run<1>(in, width, height, mask_width, out); break;
        case 2: run<2>(in, width, height, mask_width, out); break;
    }
}

void convolve_1d(const float* in, std::size_t n, const float* mask, int mask_width, int ghost,
                 float* out) {
    // TODO
}

void convolve_2d_bytes(const unsigned char* in, int width, int height, const unsigned char* mask,
                       int mask_width, int ghost, unsigned char* out) {
    // TODO
}

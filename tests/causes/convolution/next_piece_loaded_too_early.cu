// cause: missing_barrier line 43
// task: conv1d
// No barrier after computing with a piece of the mask: fast warps load the next piece while others still use this one. Shows for masks of more than 256 taps.
#include "interface.cuh"

__host__ __device__ inline long long cell(long long pos, long long size, int policy)
{
    bool inside = pos >= 0 && pos < size;
    if (!inside) {
        switch (policy) {
        case 0: return -1;
        case 1: pos = pos < 0 ? 0 : size - 1; break;
        default:
            pos = ((pos % (2 * size)) + 2 * size) % (2 * size);
            if (pos >= size) pos = 2 * size - 1 - pos;
        }
    }
    return pos;
}

constexpr int N_THREADS = 128;
constexpr int PIECE = 256;  // taps at a time: any mask_width will do

__global__ void pieces(const float* in, long long n, const float* mask, int taps, int ghost,
                       float* out)
{
    __shared__ float s_mask[PIECE];
    __shared__ float s_in[N_THREADS + PIECE - 1];
    const int t = threadIdx.x;
    const long long first = (long long)blockIdx.x * N_THREADS;
    float sum = 0;

    for (int p = 0; p < taps; p += PIECE) {
        const int len = min(PIECE, taps - p);
        for (int j = t; j < len; j += N_THREADS)
            s_mask[j] = mask[p + j];
        for (int k = t; k < N_THREADS + len - 1; k += N_THREADS) {
            long long src = cell(first - taps / 2 + p + k, n, ghost);
            s_in[k] = src < 0 ? 0.f : in[src];
        }
        __syncthreads();
        for (int j = 0; j < len; ++j)
            sum += s_mask[j] * s_in[t + j];
    }
    if (first + t < n)
        out[first + t] = sum;
}

void convolve_1d(const float* in, std::size_t n, const float* mask, int mask_width, int ghost,
                 float* out)
{
    unsigned int blocks = (unsigned int)((n + N_THREADS - 1) / N_THREADS);
    pieces<<<blocks, N_THREADS>>>(in, (long long)n, mask, mask_width, ghost, out);
}

__global__ void conv2_bytes(const unsigned char* in, int width, int height,
                            const unsigned char* mask, int m, int ghost, unsigned char* out) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    if (x >= width) return;
    for (int y = blockIdx.y; y < height; y += gridDim.y) {
        unsigned int sum = 0;
        for (int j = 0; j < m; j++) {
            long long yy = cell(y - m / 2 + j, height, ghost);
            if (yy < 0) continue;
            for (int k = 0; k < m; k++) {
                long long xx = cell(x - m / 2 + k, width, ghost);
                if (xx >= 0) sum += (unsigned int)mask[j * m + k] * in[yy * width + xx];
            }
        }
        out[(size_t)y * width + x] = (unsigned char)sum;
    }
}

void convolve_2d_bytes(const unsigned char* in, int width, int height, const unsigned char* mask,
                       int mask_width, int ghost, unsigned char* out) {
    dim3 grid((width + 127) / 128, height < 65535 ? height : 65535);
    conv2_bytes<<<grid, 128>>>(in, width, height, mask, mask_width, ghost, out);
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

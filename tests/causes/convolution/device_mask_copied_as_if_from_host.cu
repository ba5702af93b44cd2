// cause: wrong_copy_direction line 52
// task: conv1d
// cudaMemcpyToSymbol copies from the host unless told otherwise, but mask is a device pointer: the copy fails and the constant mask stays as it was (masks of up to 1024 taps).
#include "interface.cuh"

__constant__ float maskC[1024];

__host__ __device__ inline long long idx_of(long long pos, long long size, int policy)
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

__global__ void convConst(const float* in, size_t n, int m, int ghost, float* out)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float s = 0;
    for (int j = 0; j < m; ++j) {
        long long k = idx_of((long long)i + j - m / 2, n, ghost);
        if (k >= 0) s += maskC[j] * in[k];
    }
    out[i] = s;
}

__global__ void convGlobal(const float* in, size_t n, const float* mask, int m, int ghost, float* out)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float s = 0;
    for (int j = 0; j < m; ++j) {
        long long k = idx_of((long long)i + j - m / 2, n, ghost);
        if (k >= 0) s += mask[j] * in[k];
    }
    out[i] = s;
}

void convolve_1d(const float* in, std::size_t n, const float* mask, int mask_width, int ghost,
                 float* out)
{
    unsigned int blocks = (unsigned int)((n + 255) / 256);
    if (mask_width <= 1024) {
        cudaMemcpyToSymbol(maskC, mask, mask_width * sizeof(float));
        convConst<<<blocks, 256>>>(in, n, mask_width, ghost, out);
    } else {
        convGlobal<<<blocks, 256>>>(in, n, mask, mask_width, ghost, out);
    }
}

// one kernel for bytes and floats; Sum is the type of the sum
template <typename T, typename Sum>
__global__ void conv2(const T* in, int width, int height, const T* mask, int m, int ghost, T* out) {
    long long p = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (p >= (long long)width * height) return;
    int y = (int)(p / width), x = (int)(p % width), r = m / 2;
    Sum sum = 0;
    for (int j = 0; j < m; j++) {
        long long row = idx_of(y - r + j, height, ghost);
        for (int k = 0; k < m; k++) {
            long long col = idx_of(x - r + k, width, ghost);
            if (row >= 0 && col >= 0) sum += (Sum)mask[j * m + k] * (Sum)in[row * width + col];
        }
    }
    out[p] = (T)sum;
}

void convolve_2d_bytes(const unsigned char* in, int width, int height, const unsigned char* mask,
                       int mask_width, int ghost, unsigned char* out) {
    unsigned int blocks = (unsigned int)(((long long)width * height + 255) / 256);
    conv2<unsigned char, unsigned int><<<blocks, 256>>>(in, width, height, mask, mask_width, ghost, out);
}

void convolve_2d_float(const float* in, int width, int height, const float* mask, int mask_width,
                       int ghost, float* out) {
    unsigned int blocks = (unsigned int)(((long long)width * height + 255) / 256);
    conv2<float, float><<<blocks, 256>>>(in, width, height, mask, mask_width, ghost, out);
}

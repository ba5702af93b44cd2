// cause: state_kept_between_calls line 48 or 55
// task: conv1d
// The mask is copied into constant memory in the first call only, and every later call computes with the mask of the first one.
#include "interface.cuh"

/* masks up to this many taps go to constant memory, wider ones are read from global memory */
#define MAX_CONSTANT 1024

__constant__ float constant_mask[MAX_CONSTANT];

__device__ long long place(long long k, long long n, int ghost) {
    /* returns -1 for "nothing there" */
    if (k >= 0 && k < n) return k;
    if (ghost == 0) return -1;
    if (ghost == 1) return k < 0 ? 0 : n - 1;
    long long m = k % (2 * n);
    if (m < 0) m = m + 2 * n;
    return m < n ? m : 2 * n - 1 - m;
}

__global__ void conv_constant(const float* in, long long n, int mask_width, int ghost, float* out) {
    long long step = (long long)gridDim.x * blockDim.x;
    for (long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) {
        float sum = 0.0f;
        for (int j = 0; j < mask_width; j++) {
            long long k = place(i - mask_width / 2 + j, n, ghost);
            if (k >= 0) sum += constant_mask[j] * in[k];
        }
        out[i] = sum;
    }
}

__global__ void conv_global(const float* in, long long n, const float* mask, int mask_width,
                            int ghost, float* out) {
    long long step = (long long)gridDim.x * blockDim.x;
    for (long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) {
        float sum = 0.0f;
        for (int j = 0; j < mask_width; j++) {
            long long k = place(i - mask_width / 2 + j, n, ghost);
            if (k >= 0) sum += mask[j] * in[k];
        }
        out[i] = sum;
    }
}

void convolve_1d(const float* in, std::size_t n, const float* mask, int mask_width, int ghost,
                 float* out) {
    static bool uploaded = false;
    int blocks = (int)((n + 255) / 256 < 4096 ? (n + 255) / 256 : 4096);

    if (mask_width > MAX_CONSTANT) {
        conv_global<<<blocks, 256>>>(in, n, mask, mask_width, ghost, out);
        return;
    }
    if (!uploaded) {
        cudaMemcpyToSymbol(constant_mask, mask, mask_width * sizeof(float), 0,
                           cudaMemcpyDeviceToDevice);
        uploaded = true;
    }
    conv_constant<<<blocks, 256>>>(in, n, mask_width, ghost, out);
}

void convolve_2d_bytes(const unsigned char* in, int width, int height, const unsigned char* mask,
                       int mask_width, int ghost, unsigned char* out) {
    // TODO
}

void convolve_2d_float(const float* in, int width, int height, const float* mask, int mask_width,
                       int ghost, float* out) {
    // TODO
}

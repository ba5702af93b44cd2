// cause: array_too_small line 7 or 8
// task: conv1d
// The array in constant memory has room for 1024 taps only, but masks of 1025 and 2049 taps occur.
#include "interface.cuh"

// The mask is the same for all threads, so it goes into constant memory.
#define MAX_MASK_WIDTH 1024
__constant__ float M[MAX_MASK_WIDTH];

// N[k], or what stands for it if k is outside of the array
__device__ float element(const float* N, long long Width, long long k, int ghost) {
    if (k < 0 || k >= Width) {
        if (ghost == 0) {
            return 0.0f;
        }
        if (ghost == 1) {
            k = (k < 0) ? 0 : Width - 1;
        } else {
            // the mirror image is mirrored again and again
            long long period = 2 * Width;
            k = k % period;
            if (k < 0) k += period;
            if (k >= Width) k = period - 1 - k;
        }
    }
    return N[k];
}

__global__ void convolution_1D_basic_kernel(const float* N, float* P, int Mask_Width, long long Width, int ghost) {
    long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;

    float Pvalue = 0;
    long long N_start_point = i - (Mask_Width / 2);
    if (i < Width) {
        for (int j = 0; j < Mask_Width; j++) {
            Pvalue += element(N, Width, N_start_point + j, ghost) * M[j];
        }
        P[i] = Pvalue;
    }
}

void convolve_1d(const float* in, std::size_t n, const float* mask, int mask_width, int ghost,
                 float* out) {
    // the mask is in device memory already
    cudaMemcpyToSymbol(M, mask, mask_width * sizeof(float), 0, cudaMemcpyDeviceToDevice);

    dim3 dimBlock(512, 1, 1);
    dim3 dimGrid((n + 511) / 512, 1, 1);
    convolution_1D_basic_kernel<<<dimGrid, dimBlock>>>(in, out, mask_width, n, ghost);
}

// Two dimensions, bytes: what fits in a byte of the sum is the result.
void convolve_2d_bytes(const unsigned char* in, int width, int height, const unsigned char* mask,
                       int mask_width, int ghost, unsigned char* out) {
    // TODO
}

// Two dimensions, floats.
void convolve_2d_float(const float* in, int width, int height, const float* mask, int mask_width,
                       int ghost, float* out) {
    // TODO
}

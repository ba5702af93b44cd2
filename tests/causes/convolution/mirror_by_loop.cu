// cause: ghost_policy line 14
// task: conv2d_float
// The mirror image above and left of the image leaves out the edge element (in[-1] becomes in[1]); shows near these edges with ghost policy 2.
#include "interface.cuh"

// Moves the index k back into 0 ... n - 1
__device__ int fold(int k, int n, int ghost) {
    if (ghost == 1) {
        if (k < 0) k = 0;
        if (k > n - 1) k = n - 1;
    }
    if (ghost == 2) {
        while (k < 0 || k > n - 1) {
            if (k < 0) k = -k;
            if (k > n - 1) k = 2 * n - 1 - k;
        }
    }
    return k;
}

__global__ void convolutionKernel(const float* in, int width, int height, const float* mask,
                                  int mask_width, int ghost, float* out) {
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (col >= width || row >= height) return;

    float Pvalue = 0;
    int start_row = row - mask_width / 2;
    int start_col = col - mask_width / 2;
    for (int j = 0; j < mask_width; j++) {
        int y = fold(start_row + j, height, ghost);
        if (y < 0 || y >= height) continue;
        for (int k = 0; k < mask_width; k++) {
            int x = fold(start_col + k, width, ghost);
            if (x < 0 || x >= width) continue;
            Pvalue += in[y * width + x] * mask[j * mask_width + k];
        }
    }
    out[row * width + col] = Pvalue;
}

void convolve_2d_float(const float* in, int width, int height, const float* mask, int mask_width,
                       int ghost, float* out) {
    dim3 threads(32, 8);
    dim3 blocks((width + 31) / 32, (height + 7) / 8);
    convolutionKernel<<<blocks, threads>>>(in, width, height, mask, mask_width, ghost, out);
}

void convolve_1d(const float* in, std::size_t n, const float* mask, int mask_width, int ghost,
                 float* out) {}

void convolve_2d_bytes(const unsigned char* in, int width, int height, const unsigned char* mask,
                       int mask_width, int ghost, unsigned char* out) {}

// cause: launch_refused line 55
// task: conv2d_bytes
// The block is as large as the input tile, (16 + m - 1)^2 threads: from 17x17 taps on these are more than 1024 and the
// launch is refused.
#include "interface.cuh"

struct Picture {
    const unsigned char* data;
    int width, height, ghost;

    // which index stands for k among n? -1: none, a zero
    __device__ int fold(int k, int n) const {
        if (ghost == 2) {
            k = k < 0 ? -k - 1 : k;
            k %= 2 * n;
            return k < n ? k : 2 * n - 1 - k;
        }
        if (ghost == 1) return max(0, min(k, n - 1));
        return (k < 0 || k >= n) ? -1 : k;
    }

    __device__ unsigned char operator()(int x, int y) const {
        int cx = fold(x, width), cy = fold(y, height);
        if (cx < 0 || cy < 0) return 0;
        return data[cy * width + cx];
    }
};

// One thread loads one element; the threads of the halo do nothing afterwards.
__global__ void convolveTile(Picture pic, const unsigned char* mask, int m, int tileSize, unsigned char* out) {
    extern __shared__ unsigned char shared[];
    const int side = blockDim.x;
    const int r = m / 2;
    const int x = (int)blockIdx.x * tileSize + (int)threadIdx.x - r;
    const int y = (int)blockIdx.y * tileSize + (int)threadIdx.y - r;

    shared[threadIdx.y * side + threadIdx.x] = pic(x, y);
    __syncthreads();

    const bool inner = threadIdx.x >= r && threadIdx.x < r + tileSize && threadIdx.y >= r && threadIdx.y < r + tileSize;
    if (inner && x < pic.width && y < pic.height) {
        int sum = 0;
        for (int j = 0; j < m; j++) {
            for (int k = 0; k < m; k++) {
                int s = shared[(threadIdx.y - r + j) * side + (threadIdx.x - r + k)];
                sum += __ldg(&mask[j * m + k]) * s;
            }
        }
        out[y * pic.width + x] = (unsigned char)(sum & 0xFF);
    }
}

void convolve_2d_bytes(const unsigned char* in, int width, int height, const unsigned char* mask, int mask_width,
                       int ghost, unsigned char* out) {
    int tileSize = 16;
    int side = tileSize + mask_width - 1;
    dim3 threads(side, side);
    dim3 blocks((width + tileSize - 1) / tileSize, (height + tileSize - 1) / tileSize);
    Picture pic{in, width, height, ghost};
    convolveTile<<<blocks, threads, side * side>>>(pic, mask, mask_width, tileSize, out);
}

// cause: host_pointer_in_kernel line 34
// task: conv2d_float
// the kernel takes its parameters by reference, so it follows an address on the host's stack: fails in every case
#include "interface.cuh"

// What the kernel has to know about a convolution.
struct Problem {
    const float* in;
    const float* mask;
    float* out;
    int width, height;
    int taps;   // in each direction
    int ghost;  // 0 zero, 1 replicate, 2 mirror
};

struct GhostIndex {
    int policy;

    // which of the n elements stands at place k; -1 if it is a zero
    __host__ __device__ int operator()(int k, int n) const {
        if (k >= 0 && k < n) return k;
        if (policy == 0) return -1;
        if (policy == 1) return k < 0 ? 0 : n - 1;
        k = k % (2 * n);
        if (k < 0) k += 2 * n;
        return k < n ? k : 2 * n - 1 - k;
    }
};

#define SIDE 16

// One thread per output. The block loads a tile of (SIDE + taps - 1)^2
// elements into dynamic shared memory, the mask behind it.
__global__ void convolveTile(const Problem& p) {
    extern __shared__ float shared[];
    const int side = SIDE + p.taps - 1;
    float* tile = shared;
    float* mask = shared + side * side;
    const int r = p.taps / 2;
    const GhostIndex at{p.ghost};
    const int self = threadIdx.y * SIDE + threadIdx.x;

    for (int i = self; i < p.taps * p.taps; i += SIDE * SIDE) mask[i] = p.mask[i];

    const int left = (int)blockIdx.x * SIDE - r;
    const int top = (int)blockIdx.y * SIDE - r;
    for (int i = self; i < side * side; i += SIDE * SIDE) {
        const int col = at(left + i % side, p.width);
        const int row = at(top + i / side, p.height);
        tile[i] = (col >= 0 && row >= 0) ? p.in[(size_t)row * p.width + col] : 0.0f;
    }
    __syncthreads();

    const int x = blockIdx.x * SIDE + threadIdx.x;
    const int y = blockIdx.y * SIDE + threadIdx.y;
    if (x < p.width && y < p.height) {
        float sum = 0.0f;
        for (int j = 0; j < p.taps; ++j) {
            const float* line = tile + (threadIdx.y + j) * side + threadIdx.x;
            for (int k = 0; k < p.taps; ++k) sum += mask[j * p.taps + k] * line[k];
        }
        p.out[(size_t)y * p.width + x] = sum;
    }
}

void convolve_2d_float(const float* in, int width, int height, const float* mask, int mask_width,
                       int ghost, float* out) {
    const Problem p{in, mask, out, width, height, mask_width, ghost};
    const int side = SIDE + mask_width - 1;
    const size_t bytes = sizeof(float) * (side * side + mask_width * mask_width);
    const dim3 block(SIDE, SIDE);
    const dim3 grid((width + SIDE - 1) / SIDE, (height + SIDE - 1) / SIDE);
    convolveTile<<<grid, block, bytes>>>(p);
}

void convolve_1d(const float*, std::size_t, const float*, int, int, float*) {}
void convolve_2d_bytes(const unsigned char*, int, int, const unsigned char*, int, int,
                       unsigned char*) {}

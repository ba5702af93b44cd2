// cause: ghost_policy line 19
// task: conv2d_float
// The mirror on the left and upper side stands on the edge element and not beside it, so that in[-1] is in[1].
#include "interface.cuh"

namespace {

// Each policy answers which element stands for k among n, -1 for none.
struct Zero {
    static __device__ int index(int k, int n) { return k < 0 || k >= n ? -1 : k; }
};

struct Replicate {
    static __device__ int index(int k, int n) { return k < 0 ? 0 : k >= n ? n - 1 : k; }
};

struct Mirror {
    static __device__ int index(int k, int n) {
        k = (k < 0 ? -k : k) % (2 * n);
        return k < n ? k : 2 * n - 1 - k;
    }
};

template <class Policy>
__global__ void convolve(const float* __restrict__ in, int width, int height,
                         const float* __restrict__ mask, int mask_width, float* __restrict__ out) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;

    const int r = mask_width / 2;
    float sum = 0.0f;
    for (int j = -r; j <= r; ++j) {
        const int row = Policy::index(y + j, height);
        if (row >= 0) {
            const float* line = in + static_cast<std::size_t>(row) * width;
            for (int k = -r; k <= r; ++k) {
                const int column = Policy::index(x + k, width);
                if (column >= 0) sum += mask[(j + r) * mask_width + k + r] * line[column];
            }
        }
    }
    out[static_cast<std::size_t>(y) * width + x] = sum;
}

}  // namespace

void convolve_2d_float(const float* in, int width, int height, const float* mask, int mask_width,
                       int ghost, float* out) {
    const dim3 block(16, 16);
    const dim3 grid((width + 15) / 16, (height + 15) / 16);
    const auto kernel = ghost == 0 ? convolve<Zero> : ghost == 1 ? convolve<Replicate> : convolve<Mirror>;
    kernel<<<grid, block>>>(in, width, height, mask, mask_width, out);
}

void convolve_1d(const float*, std::size_t, const float*, int, int, float*) {}
void convolve_2d_bytes(const unsigned char*, int, int, const unsigned char*, int, int, unsigned char*) {}

// cause: stream_not_waited_for line 68 or 69
// task: conv2d_float
// The mask is copied to constant memory in a non-blocking stream that nobody waits for: the kernel in the default stream
// may still see the mask of the call before.
#include "interface.cuh"

namespace {

__constant__ float weights[961];

// A stream for copies, made at the first use.
class CopyStream {
   public:
    CopyStream() { cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking); }
    ~CopyStream() { cudaStreamDestroy(stream_); }
    cudaStream_t get() const { return stream_; }

   private:
    cudaStream_t stream_;
};

template <int GHOST>
__device__ int source(int k, int n) {
    if (GHOST == 1) return k < 0 ? 0 : (k < n ? k : n - 1);
    if (GHOST == 2) {
        int p = k % (2 * n);
        p = p < 0 ? p + 2 * n : p;
        return p < n ? p : 2 * n - 1 - p;
    }
    return k < n ? k : -1;  // zero (below 0 stays below 0)
}

constexpr int W = 32, H = 16, ROWS = 2;  // a thread makes ROWS outputs below each other

template <int GHOST>
__global__ void stencil(const float* __restrict__ in, int width, int height, int m, float* __restrict__ out) {
    extern __shared__ float s[];
    const int pitch = W + m - 1;
    const int lines = H + m - 1;
    const int r = m / 2;
    for (int y = threadIdx.y; y < lines; y += H / ROWS) {
        const int gy = source<GHOST>(blockIdx.y * H + y - r, height);
        for (int x = threadIdx.x; x < pitch; x += W) {
            const int gx = source<GHOST>(blockIdx.x * W + x - r, width);
            s[y * pitch + x] = gx >= 0 && gy >= 0 ? in[(std::size_t)gy * width + gx] : 0.0f;
        }
    }
    __syncthreads();

    float sum[ROWS] = {0.0f, 0.0f};
    const float* corner = s + threadIdx.y * ROWS * pitch + threadIdx.x;
    for (int j = 0; j < m; ++j)
        for (int k = 0; k < m; ++k)
            for (int q = 0; q < ROWS; ++q) sum[q] += weights[j * m + k] * corner[(q + j) * pitch + k];

    const int x = blockIdx.x * W + threadIdx.x;
    for (int q = 0; q < ROWS; ++q) {
        const int y = blockIdx.y * H + threadIdx.y * ROWS + q;
        if (x < width && y < height) out[(std::size_t)y * width + x] = sum[q];
    }
}

}  // namespace

void convolve_2d_float(const float* in, int width, int height, const float* mask, int mask_width, int ghost,
                       float* out) {
    CopyStream copies;
    cudaMemcpyToSymbolAsync(weights, mask, sizeof(float) * mask_width * mask_width, 0, cudaMemcpyDeviceToDevice,
                            copies.get());

    const dim3 block(W, H / ROWS);
    const dim3 grid((width + W - 1) / W, (height + H - 1) / H);
    const std::size_t bytes = sizeof(float) * (W + mask_width - 1) * (H + mask_width - 1);
    if (ghost == 0) stencil<0><<<grid, block, bytes>>>(in, width, height, mask_width, out);
    if (ghost == 1) stencil<1><<<grid, block, bytes>>>(in, width, height, mask_width, out);
    if (ghost == 2) stencil<2><<<grid, block, bytes>>>(in, width, height, mask_width, out);
}

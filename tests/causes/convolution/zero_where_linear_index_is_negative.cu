// cause: ghost_policy line 101
// task: conv2d_float
// With zero ghost cells only places before the first pixel count as outside, so left and right of the image the end of the row above is read in place of a zero.
#include "interface.cuh"

namespace {

constexpr int kThreads = 256;
constexpr int kOutputs = 4;
constexpr int kTile = kThreads * kOutputs;
constexpr int kPiece = 1024;
constexpr int kMaxWidth = 31;
constexpr int kTile2d = 32;
constexpr int kCache2d = kTile2d + kMaxWidth - 1;

__constant__ float floatMask[kMaxWidth * kMaxWidth];

// The index of the element that stands for k; -1 for a zero.
__device__ long long mapped(long long k, long long n, int ghost) {
    if (k >= 0 && k < n) return k;
    if (ghost == 0) return -1;
    if (ghost == 1) return k < 0 ? 0 : n - 1;
    long long m = k % (2 * n);
    if (m < 0) m += 2 * n;
    return m < n ? m : 2 * n - 1 - m;
}

// Wide masks are taken in pieces, each of which needs another part of the input.
__global__ void conv1(const float* in, long long n, const float* mask, int width, int ghost,
                             float* out) {
    __shared__ float cache[kTile + kPiece - 1];
    __shared__ float taps[kPiece];
    const int t = threadIdx.x;
    const long long first = (long long)blockIdx.x * kTile;
    const int r = width / 2;

    float acc[kOutputs] = {};
    for (int done = 0; done < width; done += kPiece) {
        const int count = min(kPiece, width - done);
        const long long start = first - r + done;
        for (int k = t; k < kTile + count - 1; k += kThreads) {
            const long long s = mapped(start + k, n, ghost);
            cache[k] = s < 0 ? 0.0f : in[s];
        }
        for (int k = t; k < count; k += kThreads) taps[k] = mask[done + k];
        __syncthreads();
        for (int j = 0; j < count; ++j) {
            const float w = taps[j];
            for (int o = 0; o < kOutputs; ++o) acc[o] += w * cache[t + o * kThreads + j];
        }
        __syncthreads();
    }
    for (int o = 0; o < kOutputs; ++o) {
        const long long i = first + t + o * kThreads;
        if (i < n) out[i] = acc[o];
    }
}

__global__ void convBytes(const unsigned char* in, int width, int height,
                           const unsigned char* mask, int m, int ghost, unsigned char* out) {
    __shared__ unsigned char cache[kCache2d][kCache2d + 2];
    __shared__ unsigned weight[kMaxWidth * kMaxWidth];
    const int r = m / 2;
    const int left = blockIdx.x * kTile2d - r;
    const int top = blockIdx.y * kTile2d - r;
    const int side = kTile2d + m - 1;

    for (int k = threadIdx.y * kTile2d + threadIdx.x; k < m * m; k += kThreads) weight[k] = mask[k];
    for (int row = threadIdx.y; row < side; row += kThreads / kTile2d) {
        const long long y = mapped(top + row, height, ghost);
        for (int col = threadIdx.x; col < side; col += kTile2d) {
            const long long x = mapped(left + col, width, ghost);
            cache[row][col] = y >= 0 && x >= 0 ? in[y * width + x] : 0;
        }
    }
    __syncthreads();

    const int x = blockIdx.x * kTile2d + threadIdx.x;
    for (int row = threadIdx.y; row < kTile2d; row += kThreads / kTile2d) {
        const int y = blockIdx.y * kTile2d + row;
        if (x >= width || y >= height) break;
        unsigned acc = 0;
        for (int j = 0; j < m; ++j)
            for (int k = 0; k < m; ++k) acc += weight[j * m + k] * cache[row + j][threadIdx.x + k];
        out[(long long)y * width + x] = (unsigned char)(acc & 255);
    }
}

__global__ void convFloats(const float* in, int width, int height, int m, int ghost, float* out) {
    __shared__ float cache[kCache2d][kCache2d + 1];
    const int r = m / 2;
    const int left = blockIdx.x * kTile2d - r;
    const int top = blockIdx.y * kTile2d - r;
    const int side = kTile2d + m - 1;

    for (int row = threadIdx.y; row < side; row += blockDim.y) {
        const long long y = mapped(top + row, height, ghost);
        for (int col = threadIdx.x; col < side; col += blockDim.x) {
            const long long x = mapped(left + col, width, ghost);
            const long long at = y * width + x;
            cache[row][col] = at < 0 ? 0.0f : in[at];
        }
    }
    __syncthreads();

    float acc[kTile2d / 8] = {};
    for (int j = 0; j < m; ++j)
        for (int k = 0; k < m; ++k)
            for (int o = 0; o < kTile2d / 8; ++o)
                acc[o] += floatMask[j * m + k] * cache[threadIdx.y + 8 * o + j][threadIdx.x + k];

    const int x = blockIdx.x * kTile2d + threadIdx.x;
    for (int o = 0; o < kTile2d / 8; ++o) {
        const int y = blockIdx.y * kTile2d + threadIdx.y + 8 * o;
        if (x < width && y < height) out[(long long)y * width + x] = acc[o];
    }
}

dim3 gridFor(int width, int height) {
    return dim3((width + kTile2d - 1) / kTile2d, (height + kTile2d - 1) / kTile2d);
}

}  // namespace

void convolve_1d(const float* in, std::size_t n, const float* mask, int mask_width, int ghost,
                 float* out) {
    const unsigned blocks = (unsigned)((n + kTile - 1) / kTile);
    conv1<<<blocks, kThreads>>>(in, (long long)n, mask, mask_width, ghost, out);
}

void convolve_2d_bytes(const unsigned char* in, int width, int height, const unsigned char* mask,
                       int mask_width, int ghost, unsigned char* out) {
    convBytes<<<gridFor(width, height), dim3(kTile2d, kThreads / kTile2d)>>>(in, width, height, mask,
                                                                        mask_width, ghost, out);
}

void convolve_2d_float(const float* in, int width, int height, const float* mask, int mask_width,
                       int ghost, float* out) {
    cudaMemcpyToSymbolAsync(floatMask, mask, sizeof(float) * mask_width * mask_width, 0,
                            cudaMemcpyDeviceToDevice);
    convFloats<<<gridFor(width, height), dim3(kTile2d, 8)>>>(in, width, height, mask_width, ghost,
                                                          out);
}

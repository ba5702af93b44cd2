// cause: radius_wrong line 39
// task: conv1d
// The left neighbour is counted from the middle of the piece instead of the middle of the whole mask, so masks of more than 1024 taps give wrong sums.
#include "interface.cuh"

namespace {

constexpr int kThreads = 256;
constexpr int kOutputs = 4;
constexpr int kTile = kThreads * kOutputs;
constexpr int kPiece = 1024;
constexpr int kMaxWidth = 31;
constexpr int kSide = 32;
constexpr int kSideIn = kSide + kMaxWidth - 1;

__constant__ float floatMask[kMaxWidth * kMaxWidth];

// The index of the element that stands for k; -1 for a zero.
__device__ long long source(long long k, long long n, int ghost) {
    if (k >= 0 && k < n) return k;
    if (ghost == 0) return -1;
    if (ghost == 1) return k < 0 ? 0 : n - 1;
    long long m = k % (2 * n);
    if (m < 0) m += 2 * n;
    return m < n ? m : 2 * n - 1 - m;
}

// Wide masks are taken in pieces, each of which needs another part of the input.
__global__ void signalKernel(const float* in, long long n, const float* mask, int width, int ghost,
                             float* out) {
    __shared__ float tile[kTile + kPiece - 1];
    __shared__ float taps[kPiece];
    const int t = threadIdx.x;
    const long long first = (long long)blockIdx.x * kTile;

    float sum[kOutputs] = {};
    for (int done = 0; done < width; done += kPiece) {
        const int count = min(kPiece, width - done);
        const long long start = first - count / 2 + done;
        for (int k = t; k < kTile + count - 1; k += kThreads) {
            const long long s = source(start + k, n, ghost);
            tile[k] = s < 0 ? 0.0f : in[s];
        }
        for (int k = t; k < count; k += kThreads) taps[k] = mask[done + k];
        __syncthreads();
        for (int j = 0; j < count; ++j) {
            const float w = taps[j];
            for (int o = 0; o < kOutputs; ++o) sum[o] += w * tile[t + o * kThreads + j];
        }
        __syncthreads();
    }
    for (int o = 0; o < kOutputs; ++o) {
        const long long i = first + t + o * kThreads;
        if (i < n) out[i] = sum[o];
    }
}

__global__ void byteKernel(const unsigned char* in, int width, int height,
                           const unsigned char* mask, int m, int ghost, unsigned char* out) {
    __shared__ unsigned char tile[kSideIn][kSideIn + 2];
    __shared__ unsigned weight[kMaxWidth * kMaxWidth];
    const int r = m / 2;
    const int left = blockIdx.x * kSide - r;
    const int top = blockIdx.y * kSide - r;
    const int side = kSide + m - 1;

    for (int k = threadIdx.y * kSide + threadIdx.x; k < m * m; k += kThreads) weight[k] = mask[k];
    for (int row = threadIdx.y; row < side; row += kThreads / kSide) {
        const long long y = source(top + row, height, ghost);
        for (int col = threadIdx.x; col < side; col += kSide) {
            const long long x = source(left + col, width, ghost);
            tile[row][col] = y >= 0 && x >= 0 ? in[y * width + x] : 0;
        }
    }
    __syncthreads();

    const int x = blockIdx.x * kSide + threadIdx.x;
    for (int row = threadIdx.y; row < kSide; row += kThreads / kSide) {
        const int y = blockIdx.y * kSide + row;
        if (x >= width || y >= height) break;
        unsigned sum = 0;
        for (int j = 0; j < m; ++j)
            for (int k = 0; k < m; ++k) sum += weight[j * m + k] * tile[row + j][threadIdx.x + k];
        out[(long long)y * width + x] = (unsigned char)(sum & 255);
    }
}

__global__ void floatKernel(const float* in, int width, int height, int m, int ghost, float* out) {
    __shared__ float tile[kSideIn][kSideIn + 1];
    const int r = m / 2;
    const int left = blockIdx.x * kSide - r;
    const int top = blockIdx.y * kSide - r;
    const int side = kSide + m - 1;

    for (int row = threadIdx.y; row < side; row += blockDim.y) {
        const long long y = source(top + row, height, ghost);
        for (int col = threadIdx.x; col < side; col += blockDim.x) {
            const long long x = source(left + col, width, ghost);
            const long long at = y * width + x;
            tile[row][col] = x < 0 || y < 0 ? 0.0f : in[at];
        }
    }
    __syncthreads();

    float sum[kSide / 8] = {};
    for (int j = 0; j < m; ++j)
        for (int k = 0; k < m; ++k)
            for (int o = 0; o < kSide / 8; ++o)
                sum[o] += floatMask[j * m + k] * tile[threadIdx.y + 8 * o + j][threadIdx.x + k];

    const int x = blockIdx.x * kSide + threadIdx.x;
    for (int o = 0; o < kSide / 8; ++o) {
        const int y = blockIdx.y * kSide + threadIdx.y + 8 * o;
        if (x < width && y < height) out[(long long)y * width + x] = sum[o];
    }
}

dim3 tiles(int width, int height) {
    return dim3((width + kSide - 1) / kSide, (height + kSide - 1) / kSide);
}

}  // namespace

void convolve_1d(const float* in, std::size_t n, const float* mask, int mask_width, int ghost,
                 float* out) {
    const unsigned blocks = (unsigned)((n + kTile - 1) / kTile);
    signalKernel<<<blocks, kThreads>>>(in, (long long)n, mask, mask_width, ghost, out);
}

void convolve_2d_bytes(const unsigned char* in, int width, int height, const unsigned char* mask,
                       int mask_width, int ghost, unsigned char* out) {
    byteKernel<<<tiles(width, height), dim3(kSide, kThreads / kSide)>>>(in, width, height, mask,
                                                                        mask_width, ghost, out);
}

void convolve_2d_float(const float* in, int width, int height, const float* mask, int mask_width,
                       int ghost, float* out) {
    cudaMemcpyToSymbolAsync(floatMask, mask, sizeof(float) * mask_width * mask_width, 0,
                            cudaMemcpyDeviceToDevice);
    floatKernel<<<tiles(width, height), dim3(kSide, 8)>>>(in, width, height, mask_width, ghost,
                                                          out);
}

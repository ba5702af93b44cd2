// cause: uninitialised_shared line 73
// task: conv2d_bytes
// Ghost cells that are zero are skipped while the tile is loaded, so whatever was in shared memory is summed up near the edges when ghost is 0.
#include "interface.cuh"

namespace {

constexpr int THREADS = 256;
constexpr int PER_THREAD = 4;
constexpr int TILE = THREADS * PER_THREAD;
constexpr int PIECE = 1024;
constexpr int MAX_M = 31;
constexpr int T = 32;
constexpr int T_IN = T + MAX_M - 1;

__constant__ float cMask[MAX_M * MAX_M];

// The index of the element that stands for k; -1 for a zero.
__device__ long long resolve(long long k, long long n, int ghost) {
    if (k >= 0 && k < n) return k;
    if (ghost == 0) return -1;
    if (ghost == 1) return k < 0 ? 0 : n - 1;
    long long m = k % (2 * n);
    if (m < 0) m += 2 * n;
    return m < n ? m : 2 * n - 1 - m;
}

// Wide masks are taken in pieces, each of which needs another part of the input.
__global__ void conv_1d_kernel(const float* in, long long n, const float* mask, int width, int ghost,
                             float* out) {
    __shared__ float tile[TILE + PIECE - 1];
    __shared__ float taps[PIECE];
    const int t = threadIdx.x;
    const long long first = (long long)blockIdx.x * TILE;
    const int r = width / 2;

    float sum[PER_THREAD] = {};
    for (int done = 0; done < width; done += PIECE) {
        const int count = min(PIECE, width - done);
        const long long start = first - r + done;
        for (int k = t; k < TILE + count - 1; k += THREADS) {
            const long long s = resolve(start + k, n, ghost);
            tile[k] = s < 0 ? 0.0f : in[s];
        }
        for (int k = t; k < count; k += THREADS) taps[k] = mask[done + k];
        __syncthreads();
        for (int j = 0; j < count; ++j) {
            const float w = taps[j];
            for (int o = 0; o < PER_THREAD; ++o) sum[o] += w * tile[t + o * THREADS + j];
        }
        __syncthreads();
    }
    for (int o = 0; o < PER_THREAD; ++o) {
        const long long i = first + t + o * THREADS;
        if (i < n) out[i] = sum[o];
    }
}

__global__ void conv_bytes_kernel(const unsigned char* in, int width, int height,
                           const unsigned char* mask, int m, int ghost, unsigned char* out) {
    __shared__ unsigned char tile[T_IN][T_IN + 2];
    __shared__ unsigned weight[MAX_M * MAX_M];
    const int r = m / 2;
    const int left = blockIdx.x * T - r;
    const int top = blockIdx.y * T - r;
    const int side = T + m - 1;

    for (int k = threadIdx.y * T + threadIdx.x; k < m * m; k += THREADS) weight[k] = mask[k];
    for (int row = threadIdx.y; row < side; row += THREADS / T) {
        const long long y = resolve(top + row, height, ghost);
        for (int col = threadIdx.x; col < side; col += T) {
            const long long x = resolve(left + col, width, ghost);
            if (y >= 0 && x >= 0) tile[row][col] = in[y * width + x];
        }
    }
    __syncthreads();

    const int x = blockIdx.x * T + threadIdx.x;
    for (int row = threadIdx.y; row < T; row += THREADS / T) {
        const int y = blockIdx.y * T + row;
        if (x >= width || y >= height) break;
        unsigned sum = 0;
        for (int j = 0; j < m; ++j)
            for (int k = 0; k < m; ++k) sum += weight[j * m + k] * tile[row + j][threadIdx.x + k];
        out[(long long)y * width + x] = (unsigned char)(sum & 255);
    }
}

__global__ void conv_float_kernel(const float* in, int width, int height, int m, int ghost, float* out) {
    __shared__ float tile[T_IN][T_IN + 1];
    const int r = m / 2;
    const int left = blockIdx.x * T - r;
    const int top = blockIdx.y * T - r;
    const int side = T + m - 1;

    for (int row = threadIdx.y; row < side; row += blockDim.y) {
        const long long y = resolve(top + row, height, ghost);
        for (int col = threadIdx.x; col < side; col += blockDim.x) {
            const long long x = resolve(left + col, width, ghost);
            const long long at = y * width + x;
            tile[row][col] = x < 0 || y < 0 ? 0.0f : in[at];
        }
    }
    __syncthreads();

    float sum[T / 8] = {};
    for (int j = 0; j < m; ++j)
        for (int k = 0; k < m; ++k)
            for (int o = 0; o < T / 8; ++o)
                sum[o] += cMask[j * m + k] * tile[threadIdx.y + 8 * o + j][threadIdx.x + k];

    const int x = blockIdx.x * T + threadIdx.x;
    for (int o = 0; o < T / 8; ++o) {
        const int y = blockIdx.y * T + threadIdx.y + 8 * o;
        if (x < width && y < height) out[(long long)y * width + x] = sum[o];
    }
}

dim3 tiles(int width, int height) {
    return dim3((width + T - 1) / T, (height + T - 1) / T);
}

}  // namespace

void convolve_1d(const float* in, std::size_t n, const float* mask, int mask_width, int ghost,
                 float* out) {
    const unsigned blocks = (unsigned)((n + TILE - 1) / TILE);
    conv_1d_kernel<<<blocks, THREADS>>>(in, (long long)n, mask, mask_width, ghost, out);
}

void convolve_2d_bytes(const unsigned char* in, int width, int height, const unsigned char* mask,
                       int mask_width, int ghost, unsigned char* out) {
    conv_bytes_kernel<<<tiles(width, height), dim3(T, THREADS / T)>>>(in, width, height, mask,
                                                                        mask_width, ghost, out);
}

void convolve_2d_float(const float* in, int width, int height, const float* mask, int mask_width,
                       int ghost, float* out) {
    cudaMemcpyToSymbolAsync(cMask, mask, sizeof(float) * mask_width * mask_width, 0,
                            cudaMemcpyDeviceToDevice);
    conv_float_kernel<<<tiles(width, height), dim3(T, 8)>>>(in, width, height, mask_width, ghost,
                                                          out);
}

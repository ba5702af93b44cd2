// cause: wrong_copy_direction line 58
// task: conv2d_bytes
// The mask is to be fetched to the host to be packed four bytes to a word, but the copy says host to device.
#include "interface.cuh"
#include <vector>

// four taps in one instruction: the mask is packed into words, each row padded with zeros
__constant__ unsigned packed[31 * 8];

constexpr int W = 32, H = 16;

__device__ int resolve(int i, int n, int ghost) {
    if (i >= 0 && i < n) return i;
    if (ghost == 0) return -1;
    if (ghost == 1) return i < 0 ? 0 : n - 1;
    i = i < 0 ? -1 - i : i;         // the mirror at 0 first
    i %= 2 * n;
    return i < n ? i : 2 * n - 1 - i;
}

__global__ void conv_dp4a(const unsigned char* in, int width, int height, int m, int ghost,
                          unsigned char* out) {
    // 32 + 30 columns, and 2 more so that the padding of the mask meets something defined
    __shared__ unsigned char tile[H + 30][W + 32];
    const int r = m / 2;
    const int words = (m + 3) / 4;
    for (int y = threadIdx.y; y < H + m - 1; y += H) {
        const int sy = resolve(int(blockIdx.y) * H + y - r, height, ghost);
        for (int x = threadIdx.x; x < W + 4 * words - 1; x += W) {
            const int sx = resolve(int(blockIdx.x) * W + x - r, width, ghost);
            unsigned char v = 0;
            if (sx >= 0 && sy >= 0) v = in[size_t(sy) * width + sx];
            tile[y][x] = v;
        }
    }
    __syncthreads();

    unsigned sum = 0;
    for (int j = 0; j < m; ++j) {
        const unsigned char* row = &tile[threadIdx.y + j][threadIdx.x];
        for (int k = 0; k < words; ++k) {
            unsigned four = row[4 * k] | row[4 * k + 1] << 8 | row[4 * k + 2] << 16 |
                            unsigned(row[4 * k + 3]) << 24;
            sum = __dp4a(four, packed[j * words + k], sum);
        }
    }
    const int x = blockIdx.x * W + threadIdx.x;
    const int y = blockIdx.y * H + threadIdx.y;
    if (x < width && y < height) out[size_t(y) * width + x] = sum;
}

void convolve_2d_bytes(const unsigned char* in, int width, int height, const unsigned char* mask,
                       int mask_width, int ghost, unsigned char* out) {
    const int words = (mask_width + 3) / 4;
    std::vector<unsigned char> host(mask_width * mask_width);
    std::vector<unsigned> pack(mask_width * words, 0u);

    cudaMemcpy(host.data(), mask, host.size(), cudaMemcpyHostToDevice);
    for (int j = 0; j < mask_width; ++j)
        for (int k = 0; k < mask_width; ++k)
            pack[j * words + k / 4] |= unsigned(host[j * mask_width + k]) << (8 * (k % 4));
    cudaMemcpyToSymbol(packed, pack.data(), pack.size() * sizeof(unsigned));

    dim3 grid((width + W - 1) / W, (height + H - 1) / H);
    conv_dp4a<<<grid, dim3(W, H)>>>(in, width, height, mask_width, ghost, out);
}

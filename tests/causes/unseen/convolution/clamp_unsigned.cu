// cause: unsigned_index line 18 or 19
// task: conv2d_bytes
// The coordinate is unsigned, so it is never below zero and wraps to a huge number; replicated cells left of and above the image come from the opposite edge.
#include "interface.cuh"

using u8 = unsigned char;
using u32 = unsigned int;

namespace ghost_cells {

struct Zero {
    static __device__ bool find(int& k, int n) { return k >= 0 && k < n; }
};

struct Replicate {
    static __device__ bool find(int& k, int n)
    {
        u32 c = k;
        if (c < 0) c = 0;
        if (c >= u32(n)) c = n - 1;
        k = c;
        return true;
    }
};

struct Mirror {
    static __device__ bool find(int& k, int n)
    {
        k %= 2 * n;
        if (k < 0) k += 2 * n;
        if (k >= n) k = 2 * n - 1 - k;
        return true;
    }
};

}  // namespace ghost_cells

constexpr int TX = 32, TY = 8;

template <class Policy>
__global__ void convolve(const u8* in, int width, int height, const u8* mask, int m, u8* out)
{
    extern __shared__ u8 shared[];
    const int tw = TX + m - 1, th = TY + m - 1, r = m / 2;
    u8* weights = shared;
    u8* tile = shared + m * m;

    const int id = threadIdx.y * TX + threadIdx.x;
    for (int k = id; k < m * m; k += TX * TY) weights[k] = mask[k];
    for (int k = id; k < tw * th; k += TX * TY) {
        int x = int(blockIdx.x) * TX + k % tw - r;
        int y = int(blockIdx.y) * TY + k / tw - r;
        const bool inside_x = Policy::find(x, width);
        const bool inside_y = Policy::find(y, height);
        tile[k] = inside_x && inside_y ? in[std::size_t(y) * width + x] : u8(0);
    }
    __syncthreads();

    const int x = blockIdx.x * TX + threadIdx.x, y = blockIdx.y * TY + threadIdx.y;
    if (x >= width || y >= height) return;
    u32 sum = 0;
    for (int j = 0; j < m; ++j)
        for (int k = 0; k < m; ++k)
            sum += u32(weights[j * m + k]) * tile[(threadIdx.y + j) * tw + threadIdx.x + k];
    out[std::size_t(y) * width + x] = u8(sum);
}

void convolve_2d_bytes(const unsigned char* in, int width, int height, const unsigned char* mask, int mask_width,
                       int ghost, unsigned char* out)
{
    const dim3 block(TX, TY), grid((width + TX - 1) / TX, (height + TY - 1) / TY);
    const std::size_t bytes = mask_width * mask_width + (TX + mask_width - 1) * (TY + mask_width - 1);
    switch (ghost) {
    case 0: convolve<ghost_cells::Zero><<<grid, block, bytes>>>(in, width, height, mask, mask_width, out); break;
    case 1: convolve<ghost_cells::Replicate><<<grid, block, bytes>>>(in, width, height, mask, mask_width, out); break;
    case 2: convolve<ghost_cells::Mirror><<<grid, block, bytes>>>(in, width, height, mask, mask_width, out); break;
    }
}

// cause: ghost_policy line 29
// task: conv2d_bytes
// On the left and above, the mirror stands on cell 0 instead of beside it: -1 becomes 1 and not 0, because abs() is taken where a modulus is wanted.
#include "interface.cuh"

namespace {

constexpr int kSide = 16;
constexpr int kMostTaps = 31;
constexpr int kMostSpan = kSide + kMostTaps - 1;

__constant__ unsigned char c_mask[kMostTaps * kMostTaps];

// One type per policy. index(k, n) is the cell that stands for k, or -1 for a zero.
struct Zero {
    static __device__ int index(int k, int n) { return k >= 0 && k < n ? k : -1; }
};

struct Replicate {
    static __device__ int index(int k, int n) { return min(max(k, 0), n - 1); }
};

struct Mirror {
    // The picture and its image are repeated for ever, to both sides:
    //    a b c d d c b a a b c d d c b a ...
    //    0 1 2 3 4 5 6 7 8
    static __device__ int index(int k, int n) {
        const int period = 2 * n;
        const int p = abs(k) % period;
        return p < n ? p : period - 1 - p;
    }
};

struct Picture {
    const unsigned char* cells;
    int width, height;

    template <class Ghost>
    __device__ unsigned char at(int x, int y) const {
        const int column = Ghost::index(x, width);
        const int row = Ghost::index(y, height);
        if (column < 0 || row < 0) return 0;
        return cells[static_cast<std::size_t>(row) * width + column];
    }
};

template <class Ghost>
__global__ void convolve_tile(Picture in, int taps, unsigned char* out) {
    __shared__ unsigned char tile[kMostSpan][kMostSpan + 2];
    const int r = taps / 2;
    const int span = kSide + 2 * r;
    const int left = blockIdx.x * kSide - r, top = blockIdx.y * kSide - r;

    // the block walks over its part of the input, corners included
    for (int y = threadIdx.y; y < span; y += kSide) {
        for (int x = threadIdx.x; x < span; x += kSide) {
            tile[y][x] = in.template at<Ghost>(left + x, top + y);
        }
    }
    __syncthreads();

    const int x = blockIdx.x * kSide + threadIdx.x;
    const int y = blockIdx.y * kSide + threadIdx.y;
    if (x >= in.width || y >= in.height) return;

    unsigned sum = 0;  // modulo 2^32, and so modulo 256 as well
    for (int j = 0; j < taps; ++j) {
        for (int i = 0; i < taps; ++i) {
            sum += c_mask[j * taps + i] * tile[threadIdx.y + j][threadIdx.x + i];
        }
    }
    out[static_cast<std::size_t>(y) * in.width + x] = static_cast<unsigned char>(sum);
}

template <class Ghost>
void run(const Picture& in, int taps, unsigned char* out) {
    const dim3 block(kSide, kSide);
    const dim3 grid((in.width + kSide - 1) / kSide, (in.height + kSide - 1) / kSide);
    convolve_tile<Ghost><<<grid, block>>>(in, taps, out);
}

}  // namespace

void convolve_2d_bytes(const unsigned char* in, int width, int height, const unsigned char* mask,
                       int mask_width, int ghost, unsigned char* out) {
    cudaMemcpyToSymbol(c_mask, mask, mask_width * mask_width, 0, cudaMemcpyDeviceToDevice);
    const Picture picture{in, width, height};
    switch (ghost) {
        case 0: return run<Zero>(picture, mask_width, out);
        case 1: return run<Replicate>(picture, mask_width, out);
        case 2: return run<Mirror>(picture, mask_width, out);
    }
}

void convolve_1d(const float*, std::size_t, const float*, int, int, float*) {
    // TODO
}

void convolve_2d_float(const float*, int, int, const float*, int, int, float*) {
    // TODO
}

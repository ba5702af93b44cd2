// cause: halo_missing line 63
// task: conv1d
// Each thread loads at most one element of either halo: of a radius above 256, the number of threads, the rest of the halos is never loaded.
#include "interface.cuh"

namespace {

constexpr int kTile = 256;  // outputs of a block, and its threads
constexpr int kConstantTaps = 1024;

__constant__ float constant_mask[kConstantTaps];

/// The input with its ghost cells: signal[k] may be asked for with any k.
struct Signal {
    const float* data;
    long long size;
    int ghost;

    __device__ float operator[](long long k) const {
        if (k < 0 || k >= size) {
            switch (ghost) {
                case 0:
                    return 0.0f;
                case 1:
                    k = k < 0 ? 0 : size - 1;
                    break;
                default: {  // period of 2 n, the second half of it runs backwards
                    const long long period = 2 * size;
                    k %= period;
                    if (k < 0) k += period;
                    if (k >= size) k = period - 1 - k;
                }
            }
        }
        return data[k];
    }
};

// Where the taps come from, as types, so that there is no branch per tap
struct ConstantMask {
    __device__ float operator[](int j) const { return constant_mask[j]; }
};

struct GlobalMask {
    const float* taps;
    __device__ float operator[](int j) const { return __ldg(taps + j); }
};

/// The tile of the block with both halos: place 0 is element first - r of the signal.
//
//      [ r from the left | kTile of our own | r from the right ]
template <class Mask>
__global__ void convolve(Signal in, Mask mask, int taps, float* out) {
    extern __shared__ float tile[];
    const int r = taps / 2;
    const int t = threadIdx.x;
    const long long first = static_cast<long long>(blockIdx.x) * kTile;

    // our own element, then the halos; threads beyond the end load ghost cells
    tile[r + t] = in[first + t];

    const int h = t;
    if (h < r) {
        tile[h] = in[first - r + h];
        tile[r + kTile + h] = in[first + kTile + h];
    }
    __syncthreads();

    if (first + t >= in.size) return;
    float sum = 0.0f;
    for (int j = 0; j < taps; ++j) sum += mask[j] * tile[t + j];
    out[first + t] = sum;
}

template <class Mask>
void launch(const Signal& in, Mask mask, int taps, float* out) {
    const auto blocks = static_cast<unsigned>((in.size + kTile - 1) / kTile);
    const std::size_t shared = (kTile + taps - 1) * sizeof(float);  // 9 KB for 2049 taps
    convolve<<<blocks, kTile, shared>>>(in, mask, taps, out);
}

}  // namespace

void convolve_1d(const float* in, std::size_t n, const float* mask, int mask_width, int ghost,
                 float* out) {
    const Signal signal{in, static_cast<long long>(n), ghost};
    if (mask_width <= kConstantTaps) {
        cudaMemcpyToSymbol(constant_mask, mask, mask_width * sizeof(float), 0,
                           cudaMemcpyDeviceToDevice);
        launch(signal, ConstantMask{}, mask_width, out);
    } else {
        launch(signal, GlobalMask{mask}, mask_width, out);
    }
}

void convolve_2d_bytes(const unsigned char*, int, int, const unsigned char*, int, int,
                       unsigned char*) {
    // TODO
}

void convolve_2d_float(const float*, int, int, const float*, int, int, float*) {
    // TODO
}

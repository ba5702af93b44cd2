// cause: unsigned_index line 23
// task: conv1d
// the index of a tap is a size_t, which is never below 0 but very large left of the signal; wrong at the left edge with replicate and mirror
#include "interface.cuh"

// 1D convolution with a tile in shared memory. Masks of any width: the taps are
// taken in pieces, and for each piece the block loads the inputs it needs.

namespace {

constexpr int kOutputs = 256;                       // per block, one per thread
constexpr int kPiece = 512;                         // taps per piece
constexpr int kTile = kOutputs + kPiece - 1;

enum Ghost { kZero = 0, kReplicate = 1, kMirror = 2 };

// The endless signal: data with its ghost cells on both sides.
struct Signal {
    const float* data;
    long long n;
    int ghost;

    __device__ float operator[](std::size_t k) const {
        switch (ghost) {
            case kZero:
                return k < 0 || k >= n ? 0.0f : data[k];
            case kReplicate:
                if (k < 0) return data[0];
                return k < n ? data[k] : data[n - 1];
            default:  // there and back again: repeats after 2 n
                k %= 2 * n;
                if (k < 0) k += 2 * n;
                return k < n ? data[k] : data[2 * n - 1 - k];
        }
    }
};

__global__ void convolveTiles(Signal signal, const float* mask, int maskWidth, float* out) {
    __shared__ float tile[kTile];
    __shared__ float taps[kPiece];

    const long long blockStart = static_cast<long long>(blockIdx.x) * kOutputs;
    const int t = threadIdx.x;
    const int r = maskWidth / 2;
    float sum = 0.0f;

    for (int done = 0; done < maskWidth; done += kPiece) {
        const int count = min(kPiece, maskWidth - done);

        // leftmost input that this piece of the mask touches
        const long long start = blockStart - r + done;
        for (int s = t; s < kOutputs + count - 1; s += kOutputs) tile[s] = signal[start + s];
        for (int s = t; s < count; s += kOutputs) taps[s] = mask[done + s];
        __syncthreads();

        for (int j = 0; j < count; ++j) sum += taps[j] * tile[t + j];
        __syncthreads();  // the next piece overwrites the tile
    }

    // all threads were needed for loading, but not all have an output
    if (blockStart + t < signal.n) out[blockStart + t] = sum;
}

}  // namespace

void convolve_1d(const float* in, std::size_t n, const float* mask, int mask_width, int ghost,
                 float* out) {
    const Signal signal{in, static_cast<long long>(n), ghost};
    const unsigned blocks = static_cast<unsigned>((n + kOutputs - 1) / kOutputs);
    convolveTiles<<<blocks, kOutputs>>>(signal, mask, mask_width, out);
}

void convolve_2d_bytes(const unsigned char* in, int width, int height, const unsigned char* mask,
                       int mask_width, int ghost, unsigned char* out) {
    // TODO
}

void convolve_2d_float(const float* in, int width, int height, const float* mask, int mask_width,
                       int ghost, float* out) {
    // TODO
}

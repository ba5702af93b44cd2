// cause: unsigned_index line 19
// task: conv1d
// the index handed to at() is unsigned, so cells left of the signal count as cells far to the right of it
#include "interface.cuh"

namespace {

constexpr int kThreads = 256;
constexpr int kPiece = 128;  // taps of the mask that are treated at a time

enum Policy { kZero = 0, kReplicate = 1, kMirror = 2 };

/// The signal together with what stands left and right of it.
struct Signal {
    const float* data;
    long long n;
    int policy;

    __device__ float at(std::size_t k) const {
        if (policy == kZero) return k < 0 || k >= n ? 0.0f : data[k];
        if (policy == kReplicate) {
            if (k < 0) return data[0];
            return k >= n ? data[n - 1] : data[k];
        }
        const long long period = 2 * n;
        k %= period;
        if (k < 0) k += period;
        return k < n ? data[k] : data[period - 1 - k];
    }
};

// The mask is cut into pieces of kPiece taps. For each piece the block loads the taps and the part
// of the signal that they meet.
__global__ void convolve_pieces(Signal signal, const float* mask, int mask_width, float* out) {
    __shared__ float taps[kPiece];
    __shared__ float window[kThreads + kPiece - 1];

    const std::size_t first = static_cast<std::size_t>(blockIdx.x) * kThreads;
    const int radius = mask_width / 2;
    float sum = 0.0f;

    for (int piece = 0; piece < mask_width; piece += kPiece) {
        const int count = min(kPiece, mask_width - piece);

        for (int j = threadIdx.x; j < count; j += kThreads) taps[j] = mask[piece + j];
        for (int j = threadIdx.x; j < kThreads + count - 1; j += kThreads) {
            window[j] = signal.at(first + piece + j - radius);
        }
        __syncthreads();

        for (int j = 0; j < count; ++j) sum += taps[j] * window[threadIdx.x + j];
        __syncthreads();  // nobody may load the next piece before all are done with this one
    }

    const std::size_t i = first + threadIdx.x;
    if (i < signal.n) out[i] = sum;
}

}  // namespace

void convolve_1d(const float* in, std::size_t n, const float* mask, int mask_width, int ghost,
                 float* out) {
    const Signal signal{in, static_cast<long long>(n), ghost};
    const auto blocks = static_cast<unsigned>((n + kThreads - 1) / kThreads);
    convolve_pieces<<<blocks, kThreads>>>(signal, mask, mask_width, out);
}

// not done yet
void convolve_2d_bytes(const unsigned char* in, int width, int height, const unsigned char* mask,
                       int mask_width, int ghost, unsigned char* out) {}

void convolve_2d_float(const float* in, int width, int height, const float* mask, int mask_width,
                       int ghost, float* out) {}

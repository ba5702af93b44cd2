// cause: missing_barrier line 56 or 57
// task: inclusive_float
// The last thread adds the total of the tile to the carry while warps behind it still read the carry for their outputs; shows with every n.
#include "interface.cuh"

#include <algorithm>
#include <utility>

// Reduce, then scan: each of at most 64 blocks owns one contiguous piece of the array.
namespace rts {

constexpr int kThreads = 128;
constexpr int kPieces = 64;

__device__ float piece_sum[kPieces];

__global__ void reduce(const float* in, std::size_t n, std::size_t piece) {
    __shared__ float s[kThreads];
    const std::size_t lo = blockIdx.x * piece;
    const std::size_t hi = lo + piece < n ? lo + piece : n;
    float sum = 0;
    for (std::size_t i = lo + threadIdx.x; i < hi; i += kThreads) sum += in[i];
    s[threadIdx.x] = sum;
    for (int half = kThreads / 2; half; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half) s[threadIdx.x] += s[threadIdx.x + half];
    }
    if (threadIdx.x == 0) piece_sum[blockIdx.x] = s[0];
}

__global__ void scan(const float* in, std::size_t n, std::size_t piece, float* out) {
    __shared__ float buf[2][kThreads];
    __shared__ float carry;
    const int t = threadIdx.x;
    const std::size_t lo = blockIdx.x * piece;
    const std::size_t hi = lo + piece < n ? lo + piece : n;

    if (t == 0) {
        float c = 0;
        for (int b = 0; b < blockIdx.x; ++b) c += piece_sum[b];
        carry = c;
    }

    for (std::size_t base = lo; base < hi; base += kThreads) {
        const std::size_t i = base + t;
        int from = 0, to = 1;
        buf[from][t] = i < hi ? in[i] : 0.0f;
        __syncthreads();
        for (int d = 1; d < kThreads; d *= 2) {
            buf[to][t] = t >= d ? buf[from][t - d] + buf[from][t] : buf[from][t];
            __syncthreads();
            const int swap = from;
            from = to;
            to = swap;
        }
        if (i < hi) out[i] = carry + buf[from][t];
        if (t == kThreads - 1) carry += buf[from][t];
        __syncthreads();
    }
}

}  // namespace rts

void scan_inclusive_int(const int*, std::size_t, int*) {}
void scan_exclusive_int(const int*, std::size_t, int*) {}

void scan_inclusive_float(const float* in, std::size_t n, float* out) {
    using namespace rts;
    std::size_t piece = (n + kPieces - 1) / kPieces;
    piece = (piece + kThreads - 1) / kThreads * kThreads;
    const unsigned blocks = static_cast<unsigned>((n + piece - 1) / piece);
    reduce<<<blocks, kThreads>>>(in, n, piece);
    rts::scan<<<blocks, kThreads>>>(in, n, piece, out);
}

void scan_exclusive_float(const float*, std::size_t, float*) {}

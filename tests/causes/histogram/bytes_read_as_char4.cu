// cause: signed_byte line 20
// task: bytes
// The bytes come in as char4, whose members are signed: values above 127 become negative indices.
#include "interface.cuh"

constexpr int NBINS = 256;

__device__ inline void count(unsigned int* h, int value) { atomicAdd(h + value, 1u); }

// clear -> count -> merge, with a barrier in between
__global__ void hist4(const unsigned char* in, std::size_t n, unsigned int* bins) {
    __shared__ unsigned int priv[NBINS];
    for (int b = threadIdx.x; b < NBINS; b += blockDim.x) priv[b] = 0;
    __syncthreads();

    const std::size_t first = (std::size_t)blockIdx.x * blockDim.x + threadIdx.x;
    const std::size_t step = (std::size_t)blockDim.x * gridDim.x;

    // four bytes with one load
    const auto* vec = reinterpret_cast<const char4*>(in);
    const std::size_t quads = n / 4;
    for (std::size_t i = first; i < quads; i += step) {
        const auto q = vec[i];
        count(priv, q.x);
        count(priv, q.y);
        count(priv, q.z);
        count(priv, q.w);
    }

    // at most three are left over
    const std::size_t rest = quads * 4 + first;
    if (rest < n) count(priv, in[rest]);

    __syncthreads();
    for (int b = threadIdx.x; b < NBINS; b += blockDim.x) {
        if (priv[b] != 0) atomicAdd(&bins[b], priv[b]);
    }
}

void histogram_bytes(const unsigned char* in, std::size_t n, unsigned int* bins) {
    cudaMemset(bins, 0, NBINS * sizeof(unsigned int));
    if (n == 0) return;
    const std::size_t threads = 256;
    std::size_t blocks = (n / 64 + threads - 1) / threads;
    if (blocks == 0) blocks = 1;
    if (blocks > 528) blocks = 528;
    hist4<<<(unsigned)blocks, (unsigned)threads>>>(in, n, bins);
}

void histogram_bins(const unsigned int* in, std::size_t n, unsigned int* bins,
                    unsigned int bin_count) {
    // TODO
}

// cause: signed_byte line 10 or 17
// task: bytes
// Four bytes are loaded as one int and the highest is taken by a shift of a signed number, which gives a negative bin for bytes above 127.
#include "interface.cuh"

namespace hist {

enum { kThreads = 256, kBins = 256 };

typedef int word_t;

__device__ void add_word(unsigned int* h, word_t w)
{
    atomicAdd(h + (w & 255), 1);
    atomicAdd(h + (w >> 8 & 255), 1);
    atomicAdd(h + (w >> 16 & 255), 1);
    atomicAdd(h + (w >> 24), 1);
}

__global__ void kernel(const unsigned char* bytes, std::size_t n, unsigned int* bins)
{
    __shared__ unsigned int h[kBins];
    h[threadIdx.x] = 0;
    __syncthreads();

    const word_t* words = reinterpret_cast<const word_t*>(bytes);
    const std::size_t full = n / sizeof(word_t);
    const unsigned int id = blockIdx.x * kThreads + threadIdx.x;
    for (std::size_t i = id; i < full; i += gridDim.x * kThreads)
        add_word(h, words[i]);
    if (id < n - full * sizeof(word_t))
        atomicAdd(h + bytes[full * sizeof(word_t) + id], 1);

    __syncthreads();
    atomicAdd(bins + threadIdx.x, h[threadIdx.x]);
}

}  // namespace hist

void histogram_bytes(const unsigned char* in, std::size_t n, unsigned int* bins)
{
    cudaMemset(bins, 0, hist::kBins * sizeof(unsigned int));
    hist::kernel<<<40, hist::kThreads>>>(in, n, bins);
}

// cause: signed_byte line 12 or 17
// task: bytes
// The top byte of a signed word is taken with an arithmetic shift, which gives a negative index for every fourth byte above 127.
#include "interface.cuh"
#include <algorithm>
#include <cstdint>

namespace {

constexpr int kThreads = 256;

__device__ inline void count_word(unsigned int* h, int w)
{
    atomicAdd(h + (w & 0xff), 1u);
    atomicAdd(h + ((w >> 8) & 0xff), 1u);
    atomicAdd(h + ((w >> 16) & 0xff), 1u);
    atomicAdd(h + (w >> 24), 1u);
}

__global__ void __launch_bounds__(kThreads)
count_bytes(const unsigned char* __restrict__ in, std::size_t n, unsigned int* __restrict__ bins)
{
    __shared__ unsigned int h[256];
    h[threadIdx.x] = 0;
    __syncthreads();

    const auto* vec = reinterpret_cast<const int4*>(in);
    const std::size_t vecs = n / 16;
    const std::size_t step = std::size_t(gridDim.x) * kThreads;
    const std::size_t me = std::size_t(blockIdx.x) * kThreads + threadIdx.x;

    for (std::size_t i = me; i < vecs; i += step) {
        const int4 v = vec[i];
        count_word(h, v.x);
        count_word(h, v.y);
        count_word(h, v.z);
        count_word(h, v.w);
    }
    const std::size_t rest = vecs * 16 + me;
    if (rest < n)
        atomicAdd(h + in[rest], 1u);

    __syncthreads();
    atomicAdd(bins + threadIdx.x, h[threadIdx.x]);
}

}  // namespace

void histogram_bytes(const unsigned char* in, std::size_t n, unsigned int* bins)
{
    cudaMemsetAsync(bins, 0, 256 * sizeof(unsigned int));
    const auto grid = static_cast<unsigned>(std::min<std::size_t>(n / 16384 + 1, 132));
    count_bytes<<<grid, kThreads>>>(in, n, bins);
}

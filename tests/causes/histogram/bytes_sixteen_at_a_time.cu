// cause: wrong_stride line 37
// task: bytes
// In the loop over the vectors each thread steps on by the block's width and not by the grid's, so that blocks count the same bytes again.
#include "interface.cuh"

template <int Copies>
struct Private {
    unsigned int count[256][Copies];   // neighbouring copies are in neighbouring banks

    __device__ void clear() {
        for (int i = threadIdx.x; i < 256 * Copies; i += blockDim.x) (&count[0][0])[i] = 0;
    }
    __device__ void add(unsigned int byte) { atomicAdd(&count[byte][threadIdx.x % Copies], 1u); }
    __device__ void add_word(unsigned int w) {
        add(w & 0xff);
        add(w >> 8 & 0xff);
        add(w >> 16 & 0xff);
        add(w >> 24);
    }
    __device__ void merge(unsigned int* bins) {
        for (int b = threadIdx.x; b < 256; b += blockDim.x) {
            unsigned int sum = 0;
            for (int c = 0; c < Copies; ++c) sum += count[b][(b + c) % Copies];
            if (sum) atomicAdd(bins + b, sum);
        }
    }
};

__global__ void count16(const unsigned char* in, std::size_t n, unsigned int* bins) {
    __shared__ Private<8> mine;
    mine.clear();
    __syncthreads();

    const uint4* vectors = reinterpret_cast<const uint4*>(in);
    const std::size_t vector_count = n / sizeof(uint4);
    const unsigned int first = blockIdx.x * blockDim.x + threadIdx.x;
    for (std::size_t i = first; i < vector_count; i += blockDim.x) {
        const uint4 v = vectors[i];
        mine.add_word(v.x);
        mine.add_word(v.y);
        mine.add_word(v.z);
        mine.add_word(v.w);
    }
    const std::size_t rest = vector_count * sizeof(uint4) + first;
    if (rest < n) mine.add(in[rest]);
    __syncthreads();
    mine.merge(bins);
}

void histogram_bytes(const unsigned char* in, std::size_t n, unsigned int* bins) {
    cudaMemsetAsync(bins, 0, 256 * sizeof(unsigned int));
    const std::size_t wanted = (n / 16 + 255) / 256;
    const unsigned int blocks = wanted < 1 ? 1 : wanted > 256 ? 256 : wanted;
    count16<<<blocks, 256>>>(in, n, bins);
}

void histogram_bins(const unsigned int* in, std::size_t n, unsigned int* bins,
                    unsigned int bin_count) {
    // TODO
}

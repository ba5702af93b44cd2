// cause: misaligned line 17 or 23
// task: bytes
// A block's section may begin at any byte, but it is read as words of four bytes from there on:
// where it is no multiple of 4, the load is misaligned.
#include "interface.cuh"

template <unsigned Blocks, unsigned Threads>
struct ByteHistogram {
    static constexpr unsigned bins = 256;

    static __device__ void run(const unsigned char* in, std::size_t n, unsigned* out) {
        __shared__ unsigned counts[bins];
        for (unsigned b = threadIdx.x; b < bins; b += Threads) counts[b] = 0;
        __syncthreads();

        // this block's section: [begin, end)
        const std::size_t section = (n + Blocks - 1) / Blocks;
        const std::size_t begin = blockIdx.x * section;
        const std::size_t end = begin + section < n ? begin + section : n;

        if (begin < end) {
            const std::size_t quads = (end - begin) / 4;
            const unsigned* words = reinterpret_cast<const unsigned*>(in + begin);
            for (std::size_t q = threadIdx.x; q < quads; q += Threads) {
                unsigned w = words[q];
                for (int k = 0; k < 4; ++k, w >>= 8) atomicAdd(&counts[w & 255u], 1u);
            }
            // the rest, byte by byte
            for (std::size_t i = begin + 4 * quads + threadIdx.x; i < end; i += Threads)
                atomicAdd(&counts[in[i]], 1u);
        }
        __syncthreads();

        for (unsigned b = threadIdx.x; b < bins; b += Threads)
            if (counts[b] > 0) atomicAdd(&out[b], counts[b]);
    }
};

using Mine = ByteHistogram<50, 192>;

__global__ void clear(unsigned* out) { out[threadIdx.x] = 0; }
__global__ void count(const unsigned char* in, std::size_t n, unsigned* out) {
    Mine::run(in, n, out);
}

void histogram_bytes(const unsigned char* in, std::size_t n, unsigned int* bins) {
    clear<<<1, 256>>>(bins);
    count<<<50, 192>>>(in, n, bins);
}

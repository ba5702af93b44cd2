// cause: tail_ignored line 61
// task: bytes
// vectors of 16 bytes leave up to 15 over, but only the last n % 4 are counted one by one; wrong when n % 16 is 4 or more
#include "interface.cuh"

// The same for `bin_count` bins and 32-bit values. Where the bins fit in shared memory, count
// there.
void histogram_bins(const unsigned int* in, std::size_t n, unsigned int* bins,
                    unsigned int bin_count) {
    // TODO
}

// v1: one byte per thread
// v2: uchar4, 4 bytes per load
// v3: uint4, 16 bytes per load        <- this one

template <unsigned Threads>
class BlockHistogram {
public:
    __device__ explicit BlockHistogram(unsigned* shared) : bin_(shared) {
        for (unsigned b = threadIdx.x; b < 256; b += Threads) bin_[b] = 0;
        __syncthreads();
    }

    __device__ void add(unsigned char byte) { atomicAdd(&bin_[byte], 1u); }

    __device__ void add(unsigned word) {
        for (int shift = 0; shift < 32; shift += 8)
            add(static_cast<unsigned char>(word >> shift));
    }

    __device__ void add(const uint4& v) {
        add(v.x);
        add(v.y);
        add(v.z);
        add(v.w);
    }

    __device__ void mergeInto(unsigned* bins) {
        __syncthreads();
        for (unsigned b = threadIdx.x; b < 256; b += Threads)
            if (bin_[b] != 0) atomicAdd(&bins[b], bin_[b]);
    }

private:
    unsigned* bin_;
};

template <unsigned Threads>
__global__ void bytesKernel(const unsigned char* in, std::size_t n, unsigned* bins) {
    __shared__ unsigned shared[256];
    BlockHistogram<Threads> histogram(shared);

    const std::size_t me = blockIdx.x * std::size_t(Threads) + threadIdx.x;
    const std::size_t all = gridDim.x * std::size_t(Threads);

    const uint4* vectors = reinterpret_cast<const uint4*>(in);
    for (std::size_t v = me; v < n / sizeof(uint4); v += all) histogram.add(vectors[v]);

    // what is left behind the last vector, the first threads take a byte each
    const std::size_t rest = n % 4;
    if (me < rest) histogram.add(in[n - rest + me]);

    histogram.mergeInto(bins);
}

void histogram_bytes(const unsigned char* in, std::size_t n, unsigned int* bins) {
    constexpr unsigned threads = 256;
    cudaMemset(bins, 0, 256 * sizeof *bins);

    unsigned blocks = 4 * 132;
    const std::size_t enough = n / (threads * 32) + 1;  // small inputs: fewer blocks
    if (enough < blocks) blocks = static_cast<unsigned>(enough);

    bytesKernel<threads><<<blocks, threads>>>(in, n, bins);
}

// cause: function_missing line 107
// task: bytes
// histogram_bytes is defined inside of the unnamed namespace, so that the function of the interface is missing when the program is linked.
/*
 * histogram
 *
 * Both tasks share one kernel; it knows what to count through a "reader".
 */
#include "interface.cuh"
#include <cuda_runtime.h>

namespace {

const unsigned THREADS = 256;

struct ByteReader {
    static constexpr int width = 4;   // values per load
    const unsigned char* in;

    template <typename F>
    __device__ void load(size_t chunk, F f) const
    {
        const unsigned w = reinterpret_cast<const unsigned*>(in)[chunk];
        f(w & 255u);
        f(w >> 8 & 255u);
        f(w >> 16 & 255u);
        f(w >> 24);
    }
    __device__ unsigned single(size_t i) const { return in[i]; }
};

struct WordReader {
    static constexpr int width = 4;
    const unsigned* in;

    template <typename F>
    __device__ void load(size_t chunk, F f) const
    {
        const uint4 w = reinterpret_cast<const uint4*>(in)[chunk];
        f(w.x);
        f(w.y);
        f(w.z);
        f(w.w);
    }
    __device__ unsigned single(size_t i) const { return in[i]; }
};

template <typename Reader, typename F>
__device__ void for_each_value(Reader reader, size_t n, F f)
{
    const size_t tid = threadIdx.x + (size_t)blockDim.x * blockIdx.x;
    const size_t count = (size_t)blockDim.x * gridDim.x;
    const size_t chunks = n / Reader::width;
    for (size_t c = tid; c < chunks; c += count)
        reader.load(c, f);
    for (size_t i = chunks * Reader::width + tid; i < n; i += count)
        f(reader.single(i));
}

// `copies` private histograms per block; neighbouring warps use different ones
template <typename Reader>
__global__ void private_histogram(Reader reader, size_t n, unsigned* bins, unsigned bin_count, unsigned copies)
{
    extern __shared__ unsigned priv[];
    for (unsigned k = threadIdx.x; k < bin_count * copies; k += blockDim.x)
        priv[k] = 0;
    __syncthreads();
    unsigned* own = priv + (threadIdx.x / 32 % copies) * bin_count;
    for_each_value(reader, n, [own](unsigned v) { atomicAdd(own + v, 1u); });
    __syncthreads();
    for (unsigned v = threadIdx.x; v < bin_count; v += blockDim.x) {
        unsigned total = 0;
        for (unsigned c = 0; c < copies; ++c)
            total += priv[c * bin_count + v];
        if (total)
            atomicAdd(bins + v, total);
    }
}

template <typename Reader>
__global__ void global_histogram(Reader reader, size_t n, unsigned* bins)
{
    for_each_value(reader, n, [bins](unsigned v) { atomicAdd(bins + v, 1u); });
}

unsigned blocks_for(size_t n, size_t each)
{
    size_t blocks = n / each + 1;
    return blocks > 1056 ? 1056u : (unsigned)blocks;
}

template <typename Reader>
void histogram(Reader reader, size_t n, unsigned* bins, unsigned bin_count)
{
    cudaMemset(bins, 0, (size_t)bin_count * sizeof(unsigned));
    const unsigned room = 48 * 1024 / sizeof(unsigned);
    if (bin_count <= room) {
        unsigned copies = room / bin_count;
        if (copies > THREADS / 32) copies = THREADS / 32;
        private_histogram<<<blocks_for(n, 32768), THREADS, (size_t)bin_count * copies * sizeof(unsigned)>>>(
            reader, n, bins, bin_count, copies);
    } else {
        global_histogram<<<blocks_for(n, 1024), THREADS>>>(reader, n, bins);
    }
}

void histogram_bytes(const unsigned char* in, std::size_t n, unsigned int* bins)
{
    histogram(ByteReader{in}, n, bins, 256);
}

}  // namespace

void histogram_bins(const unsigned int* in, std::size_t n, unsigned int* bins, unsigned int bin_count)
{
    histogram(WordReader{in}, n, bins, bin_count);
}

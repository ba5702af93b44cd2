// cause: wrong_element line 48
// task: bytes
// The rest after the last whole vector is looked for at the number of vectors instead of the number of bytes in them, so that wrong elements are counted when n is no multiple of 16.
#include "interface.cuh"

class BlockHistogram {
  public:
    __device__ void clear() {
        for (unsigned b = threadIdx.x; b < 256; b += blockDim.x) count_[b] = 0;
        __syncthreads();
    }
    __device__ void add(unsigned char value) { atomicAdd(&count_[value], 1u); }
    __device__ void add4(uchar4 v) {
        add(v.x);
        add(v.y);
        add(v.z);
        add(v.w);
    }
    __device__ void merge_into(unsigned* bins) {
        __syncthreads();
        for (unsigned b = threadIdx.x; b < 256; b += blockDim.x) {
            if (count_[b]) atomicAdd(&bins[b], count_[b]);
        }
    }

  private:
    unsigned count_[256];
};

union Vector {
    uint4 whole;
    uchar4 quarter[4];
};

__global__ void bytes_kernel(const unsigned char* in, std::size_t n, unsigned* bins) {
    __shared__ BlockHistogram histogram;
    histogram.clear();

    const std::size_t vectors = n / sizeof(uint4);
    const std::size_t rest = n % sizeof(uint4);
    const std::size_t id = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;

    for (std::size_t k = id; k < vectors; k += std::size_t{gridDim.x} * blockDim.x) {
        Vector v;
        v.whole = reinterpret_cast<const uint4*>(in)[k];
        for (int q = 0; q < 4; ++q) histogram.add4(v.quarter[q]);
    }
    if (id < rest) histogram.add(in[vectors + id]);

    histogram.merge_into(bins);
}

void histogram_bytes(const unsigned char* in, std::size_t n, unsigned* bins) {
    cudaMemset(bins, 0, 256 * sizeof(unsigned));
    const unsigned blocks = n >= (1u << 20) ? 48 : n >= 65536 ? 4 : 1;
    bytes_kernel<<<blocks, 512>>>(in, n, bins);
}

void histogram_bins(const unsigned* in, std::size_t n, unsigned* bins, unsigned bin_count) {
    (void)in; (void)n; (void)bins; (void)bin_count;
}

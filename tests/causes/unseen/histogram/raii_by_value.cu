// cause: use_after_free line 39
// task: bins
// The buffer object is passed by value, and the copy's destructor frees the partial histograms before the second kernel uses them.
#include "interface.cuh"

class DeviceBuffer {
  public:
    explicit DeviceBuffer(std::size_t count) {
        cudaMalloc(reinterpret_cast<void**>(&data_), count * sizeof(unsigned int));
        cudaMemset(data_, 0, count * sizeof(unsigned int));
    }
    ~DeviceBuffer() {
        cudaFree(data_);
    }
    unsigned int* get() const { return data_; }

  private:
    unsigned int* data_ = nullptr;
};

constexpr unsigned int kParts = 4;  // partial histograms in global memory, against collisions

__global__ void countParts(const unsigned int* in, std::size_t n, unsigned int* parts,
                           unsigned int bin_count) {
    unsigned int* part = parts + std::size_t(blockIdx.x % kParts) * bin_count;
    for (std::size_t i = std::size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < n;
         i += std::size_t(gridDim.x) * blockDim.x)
        atomicAdd(part + in[i], 1u);
}

__global__ void addParts(const unsigned int* parts, unsigned int* bins, unsigned int bin_count) {
    unsigned int b = blockIdx.x * blockDim.x + threadIdx.x;
    if (b >= bin_count) return;
    unsigned int sum = 0;
    for (unsigned int p = 0; p < kParts; ++p) sum += parts[std::size_t(p) * bin_count + b];
    bins[b] = sum;
}

static void launchCount(const unsigned int* in, std::size_t n, DeviceBuffer parts,
                        unsigned int bin_count) {
    countParts<<<64, 256>>>(in, n, parts.get(), bin_count);
}

void histogram_bins(const unsigned int* in, std::size_t n, unsigned int* bins,
                    unsigned int bin_count) {
    DeviceBuffer parts(std::size_t(kParts) * bin_count);
    launchCount(in, n, parts, bin_count);
    addParts<<<(bin_count + 255) / 256, 256>>>(parts.get(), bins, bin_count);
}

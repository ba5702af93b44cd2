// cause: stream_not_waited_for line 81 or 84
// task: bins
// The bins are cleared in a non-blocking side stream while slices are counted; an event is recorded there, but the default stream does not wait for it before bins are added to.
#include "interface.cuh"

namespace {

constexpr unsigned kThreads = 256;
constexpr unsigned kSlices = 64;         // blocks that count
constexpr unsigned kMaxPrivate = 12288;  // counters in 48 KB

/// A second queue for the GPU, beside the default stream. Made once: that takes longer than we do.
struct SideStream {
    cudaStream_t stream;
    cudaEvent_t reached;

    SideStream() {
        cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
        cudaEventCreateWithFlags(&reached, cudaEventDisableTiming);
    }
    /// Marks the place that the side stream has got to.
    cudaEvent_t mark() const {
        cudaEventRecord(reached, stream);
        return reached;
    }
};

/// Calls f with each element of the grid's share that is this thread's.
template <class T, class F>
__device__ void each_of_mine(const T* data, std::size_t n, F&& f) {
    const std::size_t step = static_cast<std::size_t>(gridDim.x) * blockDim.x;
    for (std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < n;
         i += step) {
        f(data[i]);
    }
}

__global__ void count_in_shared(const unsigned int* in, std::size_t n, unsigned int* partial,
                                unsigned int bin_count) {
    extern __shared__ unsigned int local[];
    for (unsigned b = threadIdx.x; b < bin_count; b += blockDim.x) local[b] = 0;
    __syncthreads();
    each_of_mine(in, n, [&](unsigned v) { atomicAdd(&local[v], 1u); });
    __syncthreads();
    unsigned int* row = partial + static_cast<std::size_t>(blockIdx.x) * bin_count;
    for (unsigned b = threadIdx.x; b < bin_count; b += blockDim.x) row[b] = local[b];
}

/// Adds the rows of all slices to the bins: a block column for each group of rows.
__global__ void merge(const unsigned int* partial, unsigned int bin_count, unsigned int* bins) {
    const unsigned b = blockIdx.x * blockDim.x + threadIdx.x;
    if (b >= bin_count) return;
    unsigned int sum = 0;
    for (unsigned s = blockIdx.y; s < kSlices; s += gridDim.y) {
        sum += partial[static_cast<std::size_t>(s) * bin_count + b];
    }
    if (sum != 0) atomicAdd(bins + b, sum);
}

__global__ void count_in_global(const unsigned int* in, std::size_t n, unsigned int* bins) {
    each_of_mine(in, n, [&](unsigned v) { atomicAdd(bins + v, 1u); });
}

}  // namespace

void histogram_bins(const unsigned int* in, std::size_t n, unsigned int* bins,
                    unsigned int bin_count) {
    static const SideStream side;
    static unsigned int* partial = nullptr;  // rows for the largest histogram that has them
    if (partial == nullptr) cudaMalloc(&partial, sizeof *partial * kSlices * kMaxPrivate);

    // Clearing and counting have nothing to do with each other: let them overlap.
    cudaMemsetAsync(bins, 0, bin_count * sizeof *bins, side.stream);
    const cudaEvent_t cleared = side.mark();

    if (bin_count > kMaxPrivate) {
        cudaStreamWaitEvent(cudaStreamLegacy, cleared, 0);
        if (n > 0) count_in_global<<<4 * kSlices, kThreads>>>(in, n, bins);
        return;
    }
    count_in_shared<<<kSlices, kThreads, bin_count * sizeof *bins>>>(in, n, partial, bin_count);

    const dim3 columns((bin_count + kThreads - 1) / kThreads, 4);
    merge<<<columns, kThreads>>>(partial, bin_count, bins);
}

void histogram_bytes(const unsigned char*, std::size_t, unsigned int*) {
    // TODO
}

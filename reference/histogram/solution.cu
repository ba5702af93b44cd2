// Model answer: privatised counters without bank conflicts.
//
// Reading is not the limit; the atomics are. A warp's 32 atomics on 256 shared counters fall on 32
// banks at random, so about 3.5 of them meet in the worst bank and wait for each other. Here every
// bin has 32 counters, one per lane, side by side: lane L only ever touches bank L, so a warp's 32
// atomics never meet, whatever the data. They are still atomics because the block's warps share
// the counters. With more bins the copies get fewer, and when one copy no longer fits into shared
// memory, each block counts one slice of the bins and all slices read the whole input.
#include <algorithm>

#include "interface.cuh"

namespace {

constexpr unsigned int kBytesThreads = 512;
constexpr unsigned int kBytesBlocksPerSm = 3;  // leaves 40 registers a thread; 96 KB of counters
constexpr unsigned int kLanes = 32;
constexpr unsigned int kReplicated = 8192;  // counters per block, all copies together: 32 KB
constexpr unsigned int kDefaultShared = 48 * 1024;
constexpr unsigned int kMaxSlices = 8;

// Calls word(32 bits) for what this thread reads of the input in a grid-stride loop, with two
// 16-byte loads in flight, and one(element) for what fills no vector at the end. `thread` of
// `threads` is the thread's number among those that share the input.
template <class T, class One, class Word>
__device__ void for_each_share(const T* __restrict__ in, std::size_t n, unsigned int thread,
                               unsigned int threads, One one, Word word) {
    constexpr unsigned int per_vector = sizeof(uint4) / sizeof(T);
    const uint4* __restrict__ vectors = reinterpret_cast<const uint4*>(in);
    const auto count = static_cast<unsigned int>(n / per_vector);  // n is below 2^32
    auto all = [&](uint4 v) { word(v.x), word(v.y), word(v.z), word(v.w); };
    unsigned int i = thread;
    for (; i + threads < count; i += 2 * threads) {
        const uint4 first = vectors[i], second = vectors[i + threads];
        all(first);
        all(second);
    }
    if (i < count) all(vectors[i]);
    const std::size_t rest =
        std::size_t{count} * per_vector + thread;  // less than a vector is left
    if (rest < n) one(in[rest]);
}

__global__ void __launch_bounds__(kBytesThreads, kBytesBlocksPerSm)
    count_bytes(const unsigned char* __restrict__ in, std::size_t n, unsigned int* bins) {
    __shared__ unsigned int counters[256 * kLanes];
    for (unsigned int i = threadIdx.x; i < 256 * kLanes; i += kBytesThreads) counters[i] = 0;
    __syncthreads();

    // A bin's 32 counters are 128 bytes, so value v of lane L is at byte 128 v + 4 L. The shift
    // that extracts v from the word also multiplies by 128: two instructions per byte and the
    // atomic.
    const unsigned int lane_offset = threadIdx.x % kLanes * 4;
    auto add = [&](unsigned int shifted) {
        const unsigned int offset = (shifted & 255u << 7) | lane_offset;
        atomicAdd(reinterpret_cast<unsigned int*>(reinterpret_cast<char*>(counters) + offset), 1u);
    };
    for_each_share(
        in, n, blockIdx.x * kBytesThreads + threadIdx.x, gridDim.x * kBytesThreads,
        [&](unsigned int v) { add(v << 7); },
        [&](unsigned int w) { add(w << 7), add(w >> 1), add(w >> 9), add(w >> 17); });
    __syncthreads();

    for (unsigned int bin = threadIdx.x; bin < 256; bin += kBytesThreads) {
        unsigned int sum = 0;  // each thread starts at another copy: no bank conflicts here either
        for (unsigned int k = 0; k < kLanes; ++k)
            sum += counters[bin * kLanes + (bin + k) % kLanes];
        if (sum != 0) atomicAdd(&bins[bin], sum);
    }
}

// blockIdx.y says which slice of `slice` bins to count, in 2^log_copies copies.
__global__ void count_slice(const unsigned int* __restrict__ in, std::size_t n, unsigned int* bins,
                            unsigned int bin_count, unsigned int slice, unsigned int log_copies) {
    extern __shared__ unsigned int counters[];
    const unsigned int first = blockIdx.y * slice, size = min(slice, bin_count - first);
    const unsigned int copies = 1u << log_copies, copy = threadIdx.x % copies;
    for (unsigned int i = threadIdx.x; i < size * copies; i += blockDim.x) counters[i] = 0;
    __syncthreads();

    auto add = [&](unsigned int v) {
        const unsigned int bin = v - first;  // below the slice: wraps to a large number
        if (bin < size) atomicAdd(&counters[(bin << log_copies) + copy], 1u);
    };
    for_each_share(in, n, blockIdx.x * blockDim.x + threadIdx.x, gridDim.x * blockDim.x, add, add);
    __syncthreads();

    for (unsigned int bin = threadIdx.x; bin < size; bin += blockDim.x) {
        unsigned int sum = 0;
        for (unsigned int k = 0; k < copies; ++k)
            sum += counters[(bin << log_copies) + (bin + k) % copies];
        if (sum != 0) atomicAdd(&bins[first + bin], sum);
    }
}

// Where there are more bins than elements, or than a few slices hold, private copies cost more than
// they save: atomics on that many addresses seldom meet.
__global__ void count_in_global(const unsigned int* in, std::size_t n, unsigned int* bins) {
    const std::size_t stride = static_cast<std::size_t>(gridDim.x) * blockDim.x;
    for (std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < n;
         i += stride)
        atomicAdd(&bins[in[i]], 1u);
}

unsigned int device_attribute(cudaDeviceAttr attribute) {
    int device = 0, value = 0;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&value, attribute, device);
    return static_cast<unsigned int>(value);
}

// As many blocks as fit on the device at once, but no block without 4 vectors for each thread.
unsigned int grid_size(std::size_t bytes, unsigned int threads, unsigned int blocks_per_sm) {
    const std::size_t useful = bytes / (4 * sizeof(uint4) * threads) + 1;
    const std::size_t resident = device_attribute(cudaDevAttrMultiProcessorCount) * blocks_per_sm;
    return static_cast<unsigned int>(std::min(useful, resident));
}

}  // namespace

void histogram_bytes(const unsigned char* in, std::size_t n, unsigned int* bins) {
    cudaMemsetAsync(bins, 0, 256 * sizeof(unsigned int));
    if (n == 0) return;
    const unsigned int grid = grid_size(n, kBytesThreads, kBytesBlocksPerSm);
    count_bytes<<<grid, kBytesThreads>>>(in, n, bins);
}

void histogram_bins(const unsigned int* in, std::size_t n, unsigned int* bins,
                    unsigned int bin_count) {
    cudaMemsetAsync(bins, 0, std::size_t{bin_count} * sizeof(unsigned int));
    if (n == 0) return;
    const std::size_t bytes = n * sizeof(unsigned int);
    unsigned int log_copies = 0;
    while (log_copies < 5 && bin_count <= kReplicated >> (log_copies + 1)) ++log_copies;
    unsigned int slices = 1, threads = 512, blocks_per_sm = 4;
    if (bin_count > kDefaultShared / sizeof(unsigned int)) {  // one large block per SM
        const unsigned int shared = device_attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin);
        const unsigned int capacity = shared / sizeof(unsigned int);
        slices = (bin_count - 1) / capacity + 1;
        threads = 1024, blocks_per_sm = 1;
        if (slices > kMaxSlices || n < bin_count) {
            count_in_global<<<grid_size(bytes, 256, 8), 256>>>(in, n, bins);
            return;
        }
        cudaFuncSetAttribute(count_slice, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             static_cast<int>(shared));
    }
    const unsigned int slice = (bin_count - 1) / slices + 1;
    const dim3 grid((grid_size(bytes, threads, blocks_per_sm) + slices - 1) / slices, slices);
    const std::size_t shared = (std::size_t{slice} << log_copies) * sizeof(unsigned int);
    count_slice<<<grid, threads, shared>>>(in, n, bins, bin_count, slice, log_copies);
}

// cause: launch_refused line 39 or 40
// task: nested
// The child gets as many threads as the parent has blocks. From 1025 blocks on the launch is refused and nobody writes the result.
#include "interface.cuh"

namespace {

constexpr unsigned kBlock = 256;
constexpr unsigned kMaxThreads = 1024;

/// Adds up one value per thread, for any number of threads. All threads have to call it.
__device__ long long sum_in_block(long long* s, long long value) {
    s[threadIdx.x] = value;
    __syncthreads();
    for (unsigned live = blockDim.x; live > 1;) {
        const unsigned keep = (live + 1) / 2;
        if (threadIdx.x + keep < live) s[threadIdx.x] += s[threadIdx.x + keep];
        __syncthreads();
        live = keep;
    }
    return s[0];
}

__global__ void finish(const long long* partials, unsigned count, long long* out) {
    __shared__ long long s[kMaxThreads];
    long long mine = 0;
    for (unsigned i = threadIdx.x; i < count; i += blockDim.x) mine += partials[i];
    const long long total = sum_in_block(s, mine);
    if (threadIdx.x == 0) *out = total;
}

__global__ void begin(const int* in, std::size_t n, long long* partials, long long* out) {
    __shared__ long long s[kBlock];
    const std::size_t i = std::size_t(blockIdx.x) * kBlock + threadIdx.x;
    const long long total = sum_in_block(s, i < n ? in[i] : 0);
    if (threadIdx.x == 0) partials[blockIdx.x] = total;

    if (blockIdx.x == 0 && threadIdx.x == 0) {
        const unsigned threads = gridDim.x;
        finish<<<1, threads, 0, cudaStreamTailLaunch>>>(partials, gridDim.x, out);
    }
}

struct Scratch {
    long long* data = nullptr;
    std::size_t size = 0;
    long long* at_least(std::size_t wanted) {
        if (wanted > size) {
            if (data) cudaFree(data);
            cudaMalloc(&data, wanted * sizeof(long long));
            size = wanted;
        }
        return data;
    }
};

}  // namespace

void reduce_nested(const int* in, std::size_t n, long long* out) {
    static Scratch scratch;
    std::size_t blocks = (n + kBlock - 1) / kBlock;
    if (blocks == 0) blocks = 1;
    begin<<<static_cast<unsigned>(blocks), kBlock>>>(in, n, scratch.at_least(blocks), out);
}

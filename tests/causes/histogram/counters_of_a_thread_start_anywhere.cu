// cause: uninitialised_variable line 24
// task: bins
// a thread's own counters have no value when it begins to count: garbage is added, when there are no more than 8 bins
#include "interface.cuh"

// Three ways to count, for few, for many and for very many bins.

// Few: all threads would meet in the same counters, so each thread has some of its own.
template <unsigned Most> class OwnCounters {
public:
    __device__ OwnCounters(unsigned* bins, unsigned bin_count) : bins_(bins), used_(bin_count) {}
    __device__ void operator()(unsigned value) { ++mine_[value]; }
    __device__ void finish() {
        for (unsigned b = 0; b < used_; ++b) {
            unsigned sum = mine_[b];
            for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(0xffffffffu, sum, d);
            if (threadIdx.x % 32 == 0 && sum > 0) atomicAdd(bins_ + b, sum);
        }
    }

private:
    unsigned* bins_;
    unsigned used_;
    unsigned mine_[Most];
};

// Many: one copy for the block.
class BlockCounters {
public:
    __device__ BlockCounters(unsigned* bins, unsigned bin_count) : bins_(bins), used_(bin_count) {
        for (unsigned b = threadIdx.x; b < used_; b += blockDim.x) copy()[b] = 0;
        __syncthreads();
    }
    __device__ void operator()(unsigned value) { atomicAdd(copy() + value, 1u); }
    __device__ void finish() {
        __syncthreads();
        for (unsigned b = threadIdx.x; b < used_; b += blockDim.x)
            if (copy()[b] > 0) atomicAdd(bins_ + b, copy()[b]);
    }

private:
    static __device__ unsigned* copy() {
        extern __shared__ unsigned dynamic[];
        return dynamic;
    }
    unsigned* bins_;
    unsigned used_;
};

// Very many: they do not meet often anyway.
class GlobalCounters {
public:
    __device__ GlobalCounters(unsigned* bins, unsigned) : bins_(bins) {}
    __device__ void operator()(unsigned value) { atomicAdd(bins_ + value, 1u); }
    __device__ void finish() {}

private:
    unsigned* bins_;
};

template <class Counters>
__global__ void count(const unsigned* in, std::size_t n, unsigned* bins, unsigned bin_count) {
    Counters counters(bins, bin_count);
    const std::size_t step = static_cast<std::size_t>(gridDim.x) * blockDim.x;
    for (std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < n;
         i += step)
        counters(in[i]);
    counters.finish();
}

void histogram_bins(const unsigned int* in, std::size_t n, unsigned int* bins,
                    unsigned int bin_count) {
    constexpr unsigned few = 8, fit = 12288, threads = 256;
    cudaMemset(bins, 0, bin_count * sizeof(unsigned));
    if (n == 0) return;
    if (bin_count <= few) {
        count<OwnCounters<few>><<<32, threads>>>(in, n, bins, bin_count);
    } else if (bin_count <= fit) {
        const std::size_t bytes = bin_count * sizeof(unsigned);
        count<BlockCounters><<<32, threads, bytes>>>(in, n, bins, bin_count);
    } else {
        count<GlobalCounters><<<128, threads>>>(in, n, bins, bin_count);
    }
}

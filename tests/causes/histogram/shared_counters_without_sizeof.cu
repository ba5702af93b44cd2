// cause: size_in_elements line 60
// task: bins
// the launch asks for one byte of shared memory per counter: three quarters of the counters lie behind its end, whenever n is above 0
#include "interface.cuh"

// Counters [first, first + count) of the whole histogram: what one pass deals with.
struct Slice {
    unsigned first, count;
    __device__ bool has(unsigned value) const { return value - first < count; }
};

struct Input {
    const unsigned* data;
    std::size_t n;

    // calls f for every value that is this thread's
    template <class F> __device__ void each(F f) const {
        const std::size_t threads = static_cast<std::size_t>(gridDim.x) * blockDim.x;
        const std::size_t t = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
        const uint4* quads = reinterpret_cast<const uint4*>(data);
        for (std::size_t q = t; q < n / 4; q += threads) {
            const uint4 v = quads[q];
            f(v.x);
            f(v.y);
            f(v.z);
            f(v.w);
        }
        if (t < n % 4) f(data[n - 1 - t]);
    }
};

__global__ void count_slice(Input input, Slice slice, unsigned* bins) {
    extern __shared__ unsigned counter[];
    for (unsigned b = threadIdx.x; b < slice.count; b += blockDim.x) counter[b] = 0;
    __syncthreads();
    input.each([&](unsigned value) {
        if (slice.has(value)) atomicAdd(&counter[value - slice.first], 1u);
    });
    __syncthreads();
    for (unsigned b = threadIdx.x; b < slice.count; b += blockDim.x) {
        const unsigned c = counter[b];
        if (c != 0) atomicAdd(&bins[slice.first + b], c);
    }
}

void histogram_bins(const unsigned int* in, std::size_t n, unsigned int* bins,
                    unsigned int bin_count) {
    constexpr unsigned fit = 48 * 1024 / sizeof(unsigned);
    constexpr unsigned threads = 512;

    cudaMemset(bins, 0, sizeof(*bins) * bin_count);
    if (n == 0) return;

    const Input input{in, n};
    std::size_t wanted = (n / 4 + threads) / threads;
    const unsigned blocks = static_cast<unsigned>(wanted < 24 ? wanted : 24);
    // as many passes over the input as it takes
    for (unsigned first = 0; first < bin_count; first += fit) {
        const Slice slice{first, bin_count - first < fit ? bin_count - first : fit};
        count_slice<<<blocks, threads, slice.count>>>(input, slice, bins);
    }
}

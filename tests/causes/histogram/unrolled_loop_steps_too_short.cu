// cause: wrong_stride line 27 or 26
// task: bins
// Each turn handles four elements per thread, but the loop steps on by one grid only: elements are
// counted up to four times.
#include "interface.cuh"

#define THREADS 256
#define PER_THREAD 4
#define LIMIT (12 * 1024)

__device__ __forceinline__ void add_one(unsigned int* table, unsigned int v) {
    atomicAdd(table + v, 1u);
}

template <bool SHARED>
__global__ void hist_kernel(const unsigned int* in, size_t n, unsigned int* bins,
                            unsigned int bin_count) {
    extern __shared__ unsigned int priv[];
    unsigned int* table = SHARED ? priv : bins;

    if (SHARED) {
        for (unsigned int b = threadIdx.x; b < bin_count; b += THREADS) priv[b] = 0;
        __syncthreads();
    }

    size_t step = (size_t)gridDim.x * THREADS;
    for (size_t base = (size_t)blockIdx.x * THREADS + threadIdx.x; base < n; base += step) {
        // four loads on their way at the same time
        unsigned int v[PER_THREAD];
#pragma unroll
        for (int k = 0; k < PER_THREAD; k++) {
            size_t i = base + k * step;
            v[k] = i < n ? in[i] : bin_count;
        }
#pragma unroll
        for (int k = 0; k < PER_THREAD; k++)
            if (v[k] < bin_count) add_one(table, v[k]);
    }

    if (SHARED) {
        __syncthreads();
        for (unsigned int b = threadIdx.x; b < bin_count; b += THREADS)
            if (priv[b]) atomicAdd(&bins[b], priv[b]);
    }
}

void histogram_bins(const unsigned int* in, std::size_t n, unsigned int* bins,
                    unsigned int bin_count) {
    cudaMemset(bins, 0, (size_t)bin_count * sizeof(unsigned int));
    if (n == 0) return;

    // few blocks if there is little to do: a merge is not free
    size_t want = (n + 8 * THREADS * PER_THREAD - 1) / (8 * THREADS * PER_THREAD);
    unsigned int blocks = want > 132 ? 132 : (unsigned int)want;

    if (bin_count <= LIMIT && n >= bin_count)
        hist_kernel<true><<<blocks, THREADS, bin_count * sizeof(unsigned int)>>>(in, n, bins,
                                                                                  bin_count);
    else
        hist_kernel<false><<<blocks, THREADS>>>(in, n, bins, bin_count);
}

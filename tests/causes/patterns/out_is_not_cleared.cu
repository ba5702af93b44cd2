// cause: uninitialised_output line 28
// task: gather
// Each thread adds a neighbour's value to out, which holds garbage and is never set to zero.
#include "interface.cuh"

// One thread per entry of the index array, so that the indices are read one next to the other.
// The four threads of a row add to the same element of out.
static __global__ void add_neighbour(const float *value, const uint32_t *neighbour, size_t entries,
                                     float *out) {
    size_t e = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (e >= entries)
        return;
    size_t cell = e >> 2;
    atomicAdd(&out[cell], value[neighbour[e]]);
}

static unsigned div_up(size_t a, size_t b) {
    return (unsigned)((a + b - 1) / b);
}

void gather_sum(const float *value, size_t m, const uint32_t *neighbour, size_t n, float *out) {
    (void)m; // every index is below m, nothing to check
    const int threads = 128;
    const size_t entries = 4 * n;

    // runs in the default stream, so that everything is in order
    cudaStream_t stream = 0;
    add_neighbour<<<div_up(entries, threads), threads, 0, stream>>>(value, neighbour, entries, out);
}

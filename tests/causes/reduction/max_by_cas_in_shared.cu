// cause: no_retry line 10
// task: max
// The compare-and-swap is tried only once, so a thread's maximum is lost when another thread of the block has changed the word in between.
#include "interface.cuh"

// There is no atomicMax for floats, so here is one.
__device__ void atomic_max_float(int* word, float value) {
    int seen = atomicAdd(word, 0);
    if (__int_as_float(seen) < value) {
        atomicCAS(word, seen, __float_as_int(value));
    }
}

// Each block leaves the maximum of its part in result[blockIdx.x].
__global__ void max_kernel(const float* in, size_t n, float* result) {
    __shared__ int best;   // the bits of a float
    if (threadIdx.x == 0) best = __float_as_int(-INFINITY);
    __syncthreads();

    float mine = -INFINITY;
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n;
         i += (size_t)gridDim.x * blockDim.x) {
        if (in[i] > mine) mine = in[i];
    }
    atomic_max_float(&best, mine);
    __syncthreads();

    if (threadIdx.x == 0) result[blockIdx.x] = __int_as_float(best);
}

void reduce_max(const float* in, std::size_t n, float* out) {
    const int threads = 128;
    const int blocks = 300;
    static float* partial = nullptr;
    if (!partial) cudaMalloc((void**)&partial, blocks * sizeof(float));
    max_kernel<<<blocks, threads>>>(in, n, partial);
    max_kernel<<<1, threads>>>(partial, blocks, out);
}

// the other three: later

void reduce_sum(const double* /*in*/, std::size_t /*n*/, double* /*out*/) {
    // TODO: write a kernel and launch it here.
}

void reduce_cubes(const int* /*in*/, std::size_t /*n*/, long long* /*out*/) {
    // TODO
}

void reduce_nested(const int* /*in*/, std::size_t /*n*/, long long* /*out*/) {
    // TODO
}

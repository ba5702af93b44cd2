// cause: elements_ignored line 36
// task: sum
// the second kernel has 256 threads and each takes one partial sum, but there may be 1024 of them; wrong for n above 65536
#include "interface.cuh"

#define THREADS 256
#define MAX_BLOCKS 1024

// sum over the block; valid in thread 0
static __device__ double block_sum(double x) {
    __shared__ double s[THREADS];
    s[threadIdx.x] = x;
    __syncthreads();
    for (unsigned d = THREADS / 2; d >= 1; d /= 2) {
        if (threadIdx.x < d) s[threadIdx.x] += s[threadIdx.x + d];
        __syncthreads();
    }
    return s[0];
}

// step 1: every block leaves one partial sum
__global__ void sum_step1(const double *in, size_t n, double *partial) {
    double x = 0.0;
    size_t i = blockIdx.x * (size_t)THREADS + threadIdx.x;
    for (; i < n; i += gridDim.x * (size_t)THREADS)
        x += in[i];
    x = block_sum(x);
    if (threadIdx.x == 0)
        partial[blockIdx.x] = x;
}

// step 2: one block adds up the partial sums
__global__ void sum_step2(const double *partial, unsigned count, double *out) {
    double x = 0.0;
    unsigned i = threadIdx.x;
    if (i < count)
        x += partial[i];
    x = block_sum(x);
    if (threadIdx.x == 0)
        *out = x;
}

static double *get_partial() {
    static double *p = NULL;
    if (p == NULL)
        cudaMalloc(&p, MAX_BLOCKS * sizeof(double));
    return p;
}

void reduce_sum(const double *in, std::size_t n, double *out) {
    if (n == 0) {
        cudaMemset(out, 0, sizeof(double));   // 0.0 is all bits zero
        return;
    }
    double *partial = get_partial();
    size_t blocks = (n + THREADS - 1) / THREADS;
    if (blocks > MAX_BLOCKS)
        blocks = MAX_BLOCKS;
    sum_step1<<<(unsigned)blocks, THREADS>>>(in, n, partial);
    sum_step2<<<1, THREADS>>>(partial, (unsigned)blocks, out);
}

// *out = the largest of n floats
void reduce_max(const float* /*in*/, std::size_t /*n*/, float* /*out*/) {
    // TODO
}

// *out = the sum of the cubes of n ints, in 64 bits
void reduce_cubes(const int* /*in*/, std::size_t /*n*/, long long* /*out*/) {
    // TODO
}

// *out = the sum of n ints, in 64 bits, by kernels that launch the next ones
void reduce_nested(const int* /*in*/, std::size_t /*n*/, long long* /*out*/) {
    // TODO
}

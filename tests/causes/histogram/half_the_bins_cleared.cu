// cause: uninitialised_shared line 19 or 20
// task: bytes
// A block has 128 threads, and each clears one of the 256 private bins: the upper 128 begin with
// whatever was in shared memory.
#include "interface.cuh"

// Two steps, no atomics in global memory: each block writes its own row of counts,
// then a second kernel adds up the columns.

const int THREADS = 128;
const int BLOCKS = 64;

__device__ unsigned int rows[BLOCKS * 256];

__global__ void step1(const unsigned char* in, size_t n) {
    __shared__ unsigned int mine[256];
    int t = threadIdx.x;

    if (t < 256) {
        mine[t] = 0;
    }
    __syncthreads();

    size_t i = (size_t)blockIdx.x * THREADS + t;
    while (i < n) {
        unsigned char c = in[i];
        atomicAdd(&mine[c], 1);
        i += (size_t)THREADS * BLOCKS;
    }
    __syncthreads();

    // two bins for each thread
    rows[blockIdx.x * 256 + t] = mine[t];
    rows[blockIdx.x * 256 + t + 128] = mine[t + 128];
}

__global__ void step2(unsigned int* bins) {
    int b = threadIdx.x;
    unsigned int sum = 0;
    for (int r = 0; r < BLOCKS; r++) {
        sum += rows[r * 256 + b];
    }
    bins[b] = sum;
}

void histogram_bytes(const unsigned char* in, std::size_t n, unsigned int* bins) {
    step1<<<BLOCKS, THREADS>>>(in, n);
    step2<<<1, 256>>>(bins);
}

// cause: uninitialised_shared line 28 or 29
// task: inclusive_float
// Element 0 of the shared array of chunk offsets is taken for 0 as in Java, but shared memory starts with garbage, which is added to everything.
#include "interface.cuh"

// Same plan as my OpenMP version: split the array into one contiguous chunk per worker,
// every worker adds up its chunk, the master makes the offsets, every worker writes its chunk.

#define WORKERS 512

__global__ void parallel_region(const float* in, int n, float* out) {
    __shared__ float offset[WORKERS + 1];

    int me = threadIdx.x;                        // omp_get_thread_num()
    int chunk = (n + WORKERS - 1) / WORKERS;     // schedule(static)
    int begin = min(n, me * chunk);
    int end = min(n, begin + chunk);

    // first loop: what is in my chunk?
    float mine = 0.0f;
    for (int i = begin; i < end; i++) {
        mine += in[i];
    }
    offset[me + 1] = mine;
    __syncthreads();

    // #pragma omp master
    if (me == 0) {
        for (int w = 1; w <= WORKERS; w++) {
            offset[w] = offset[w] + offset[w - 1];
        }
    }
    __syncthreads();

    // second loop: go through my chunk again, now with the offset
    float running = offset[me];
    for (int i = begin; i < end; i++) {
        running += in[i];
        out[i] = running;
    }
}

void scan_inclusive_int(const int*, std::size_t, int*) {}

void scan_exclusive_int(const int*, std::size_t, int*) {}

void scan_inclusive_float(const float* in, std::size_t n, float* out) {
    parallel_region<<<1, WORKERS>>>(in, (int)n, out);
}

void scan_exclusive_float(const float*, std::size_t, float*) {}

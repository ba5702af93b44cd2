#include "linked.h"

#include <cstdio>

static __device__ int own = 200;
__device__ int shared_value = 1;
__constant__ int limits[2] = {3, 9};

__device__ int cube(int x) { return x * x * x; }

__global__ void other(int* out) {
    out[threadIdx.x] = twice(threadIdx.x) + own;
    if (threadIdx.x == 0) printf("other: %d\n", limits[0]);
}

void run_other(int* device) { other<<<1, 4>>>(device); }

// cause: misaligned line 47
// task: map
// Each block has a section of the array, whose length is not rounded up to a multiple of 4: the float4 accesses of the second
// block start at an address that is no multiple of 16.
#include "interface.cuh"
#include <cstdio>

// Every block works on one contiguous section [begin, end), 4 floats at a time, and the
// last floats of the section one by one.
#define THREADS 256
#define BLOCKS 132

__device__ float horner(float x, float c0, float c1, float c2, float c3) {
    float v = c3;
    v = v * x + c2;
    v = v * x + c1;
    v = v * x + c0;
    return v;
}

__global__ void map_section(const float* x, size_t n, size_t section, float c0, float c1, float c2,
                            float c3, float* y) {
    size_t begin = blockIdx.x * section;
    size_t end = begin + section;
    if (end > n) end = n;
    if (begin >= end) return;

    size_t quads = (end - begin) / 4;
    for (size_t q = threadIdx.x; q < quads; q += THREADS) {
        float4 in = *(const float4*)(x + begin + 4 * q);
        float4 res;
        res.x = horner(in.x, c0, c1, c2, c3);
        res.y = horner(in.y, c0, c1, c2, c3);
        res.z = horner(in.z, c0, c1, c2, c3);
        res.w = horner(in.w, c0, c1, c2, c3);
        *(float4*)(y + begin + 4 * q) = res;
    }

    // what is left over
    size_t i = begin + 4 * quads + threadIdx.x;
    if (i < end) {
        y[i] = horner(x[i], c0, c1, c2, c3);
    }
}

void map_cubic(const float* x, std::size_t n, float c0, float c1, float c2, float c3, float* y) {
    size_t section = (n + BLOCKS - 1) / BLOCKS;
    map_section<<<BLOCKS, THREADS>>>(x, n, section, c0, c1, c2, c3, y);

    cudaError_t err = cudaGetLastError();
    if (err != cudaSuccess) printf("map_cubic: %s\n", cudaGetErrorString(err));
}

// cause: device_pointer_on_host line 37
// task: max
// For an empty array the host assigns to *out, which is device memory; this shows for n = 0 only.
#include "interface.cuh"

#include <limits>

// Sections as in java.util.stream: split, take the maximum of each part, then of the parts.
static const int PARTS = 4096;

__device__ float partMax[PARTS];

__global__ void maxOfParts(const float* a, size_t n, int parts) {
    int me = blockIdx.x * blockDim.x + threadIdx.x;
    if (me >= parts) return;
    size_t from = n * me / parts;
    size_t to = n * (me + 1) / parts;
    float best = a[from];
    for (size_t i = from + 1; i < to; i++) {
        if (a[i] > best) best = a[i];
    }
    partMax[me] = best;
}

__global__ void maxOfMaxima(int parts, float* out) {
    float best = partMax[0];
    for (int p = 1; p < parts; p++) {
        if (partMax[p] > best) best = partMax[p];
    }
    *out = best;
}

void reduce_sum(const double*, std::size_t, double*) {}

void reduce_max(const float* in, std::size_t n, float* out) {
    if (n == 0) {  // nothing to split
        *out = -std::numeric_limits<float>::infinity();
        return;
    }
    int parts = n < PARTS ? (int)n : PARTS;
    maxOfParts<<<(parts + 127) / 128, 128>>>(in, n, parts);
    maxOfMaxima<<<1, 1>>>(parts, out);
}

void reduce_cubes(const int*, std::size_t, long long*) {}

void reduce_nested(const int*, std::size_t, long long*) {}

// cause: integer_overflow line 8
// task: cubes
// The square is still computed as an int and overflows for numbers beyond 46340; only the last product has 64 bits.
#include "interface.cuh"

// The cube of an int needs 64 bits.
__device__ long long cube(int x) {
    int square = x * x;
    return (long long)square * x;
}

// A tree by halves. Each block adds its sum to the result.
__global__ void cubes_kernel(const int* in, std::size_t n, unsigned long long* out) {
    __shared__ long long part[256];
    int t = threadIdx.x;
    std::size_t i = blockIdx.x * (std::size_t)512 + t;

    // the first addition during the load
    long long a = 0, b = 0;
    if (i < n) a = cube(in[i]);
    if (i + 256 < n) b = cube(in[i + 256]);
    part[t] = a + b;

    for (int stride = 128; stride >= 1; stride /= 2) {
        __syncthreads();
        if (t < stride) part[t] += part[t + stride];
    }

    if (t == 0) atomicAdd(out, (unsigned long long)part[0]);
}

void reduce_cubes(const int* in, std::size_t n, long long* out) {
    cudaMemset(out, 0, sizeof(long long));
    if (n == 0) return;
    int blocks = (int)((n + 511) / 512);
    cubes_kernel<<<blocks, 256>>>(in, n, (unsigned long long*)out);
}

void reduce_sum(const double* /*in*/, std::size_t /*n*/, double* /*out*/) {
    // TODO
}

void reduce_max(const float* /*in*/, std::size_t /*n*/, float* /*out*/) {
    // TODO
}

void reduce_nested(const int* /*in*/, std::size_t /*n*/, long long* /*out*/) {
    // TODO
}

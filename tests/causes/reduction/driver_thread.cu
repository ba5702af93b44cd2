// cause: grid_too_small line 42
// task: nested
// The number of blocks of the later levels is rounded down, so partial sums beyond the last full block are lost; it shows when there are more than 256 of them.
#include "interface.cuh"

static const int B = 256;

__device__ void sumBlock(long long x, long long* result) {
    __shared__ long long s[B];
    s[threadIdx.x] = x;
    __syncthreads();
    for (int k = B / 2; k > 0; k /= 2) {
        if (threadIdx.x < k) s[threadIdx.x] += s[threadIdx.x + k];
        __syncthreads();
    }
    if (threadIdx.x == 0) result[blockIdx.x] = s[0];
}

__global__ void addInts(const int* in, size_t n, long long* sums) {
    size_t i = (size_t)blockIdx.x * B + threadIdx.x;
    long long x = 0;
    if (i < n) x = in[i];
    sumBlock(x, sums);
}

__global__ void addSums(const long long* in, size_t n, long long* sums) {
    size_t i = (size_t)blockIdx.x * B + threadIdx.x;
    long long x = 0;
    if (i < n) x = in[i];
    sumBlock(x, sums);
}

// One thread launches all levels. They run one after the other.
__global__ void driver(const int* in, size_t n, long long* a, long long* b, long long* out) {
    size_t count = (n + B - 1) / B;
    if (count == 0) {
        *out = 0;
        return;
    }
    addInts<<<count, B>>>(in, n, a);
    while (count > B) {
        size_t blocks = count / B;
        addSums<<<blocks, B>>>(a, count, b);
        long long* tmp = a;
        a = b;
        b = tmp;
        count = blocks;
    }
    addSums<<<1, B>>>(a, count, out);
}

void reduce_nested(const int* in, std::size_t n, long long* out) {
    static long long *a = nullptr, *b = nullptr;
    static size_t size = 0;
    if (n / B + 1 > size) {
        cudaFree(a);
        cudaFree(b);
        size = n / B + 1;
        cudaMalloc(&a, size * sizeof(long long));
        cudaMalloc(&b, size * sizeof(long long));
    }
    driver<<<1, 1>>>(in, n, a, b, out);
}

void reduce_sum(const double*, std::size_t, double*) {}
void reduce_max(const float*, std::size_t, float*) {}
void reduce_cubes(const int*, std::size_t, long long*) {}

// cause: state_kept_between_calls line 48
// task: cubes
// The device variable that the blocks add to is 0 only before the first call.
#include "interface.cuh"

// all blocks add their part to this one
__device__ unsigned long long grand_total = 0;

template <int N>
struct HalvingTree {
    // s[0] += s[1] + ... + s[N - 1]
    static __device__ void run(volatile unsigned long long* s) {
        if (threadIdx.x < N / 2) s[threadIdx.x] = s[threadIdx.x] + s[threadIdx.x + N / 2];
        __syncthreads();
        HalvingTree<N / 2>::run(s);
    }
};

template <>
struct HalvingTree<1> {
    static __device__ void run(volatile unsigned long long*) {}
};

__device__ unsigned long long cube(int v) {
    const long long x = v;
    return (unsigned long long)x * (unsigned long long)x * (unsigned long long)x;
}

#define THREADS 128

__global__ void add_cubes(const int* in, std::size_t n) {
    __shared__ unsigned long long s[THREADS];

    unsigned long long sum = 0;
    const std::size_t stride = (std::size_t)blockDim.x * gridDim.x;
    for (std::size_t i = blockIdx.x * (std::size_t)blockDim.x + threadIdx.x; i < n; i += stride) {
        sum += cube(in[i]);
    }
    s[threadIdx.x] = sum;
    __syncthreads();
    HalvingTree<THREADS>::run(s);

    if (threadIdx.x == 0) atomicAdd(&grand_total, s[0]);
}

// hands the result over
__global__ void publish(long long* out) {
    *out = (long long)grand_total;
}

void reduce_cubes(const int* in, std::size_t n, long long* out) {
    if (n > 0) {
        unsigned blocks = 1024;
        const std::size_t wanted = (n + 8 * THREADS - 1) / (8 * THREADS);
        if (wanted < blocks) blocks = (unsigned)wanted;
        add_cubes<<<blocks, THREADS>>>(in, n);
    }
    publish<<<1, 1>>>(out);
}

void reduce_sum(const double* /*in*/, std::size_t /*n*/, double* /*out*/) {
    // TODO: write a kernel and launch it here.
}

void reduce_max(const float* /*in*/, std::size_t /*n*/, float* /*out*/) {
    // TODO
}

void reduce_nested(const int* /*in*/, std::size_t /*n*/, long long* /*out*/) {
    // TODO
}

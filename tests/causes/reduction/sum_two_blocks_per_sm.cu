// cause: not_a_power_of_two line 8 or 42
// task: sum
// The second kernel has one thread for each of the 216 partial sums and halves that number: 27 is odd,
// and its last element is dropped, as are others after it.
#include "interface.cuh"

namespace {
const int BLOCKS = 216;    // two on each multiprocessor
const int THREADS = 512;

__device__ double partial[BLOCKS];

__global__ void stage1(const double2* in2, const double* in, std::size_t n) {
    __shared__ double cache[THREADS];
    std::size_t pairs = n / 2;
    std::size_t id = threadIdx.x + (std::size_t)blockIdx.x * blockDim.x;

    double a = 0, b = 0;
    for (std::size_t p = id; p < pairs; p += (std::size_t)BLOCKS * THREADS) {
        double2 q = in2[p];
        a += q.x;
        b += q.y;
    }
    if (id == 0 && n % 2 == 1) a += in[n - 1];

    cache[threadIdx.x] = a + b;
    __syncthreads();
    for (int s = THREADS / 2; s > 0; s >>= 1) {
        if (threadIdx.x < s) cache[threadIdx.x] += cache[threadIdx.x + s];
        __syncthreads();
    }
    if (threadIdx.x == 0) partial[blockIdx.x] = cache[0];
}

// one thread per partial sum
__global__ void stage2(double* out) {
    __shared__ double cache[BLOCKS];
    cache[threadIdx.x] = partial[threadIdx.x];
    __syncthreads();

    // halves
    for (int s = BLOCKS / 2; s > 0; s >>= 1) {
        if (threadIdx.x < s) cache[threadIdx.x] += cache[threadIdx.x + s];
        __syncthreads();
    }
    if (threadIdx.x == 0) out[0] = cache[0];
}
}  // namespace

void reduce_sum(const double* in, std::size_t n, double* out) {
    stage1<<<BLOCKS, THREADS>>>(reinterpret_cast<const double2*>(in), in, n);
    stage2<<<1, BLOCKS>>>(out);
}

// expect: nested=wrong_answer|unwritten_output
// expect-gpu: nested=wrong_answer|unwritten_output|launch_error|out_of_bounds
// The child gets a thread for each result of a block. Beyond 1024 of them the launch is refused, and
// nobody looks at the error.
#include "interface.cuh"

__device__ long long partial[1 << 16];

__global__ void add_partial(long long* out) {
    for (unsigned stride = 1; stride < blockDim.x; stride *= 2) {
        __syncthreads();
        if (threadIdx.x % (2 * stride) == 0 && threadIdx.x + stride < blockDim.x)
            partial[threadIdx.x] += partial[threadIdx.x + stride];
    }
    if (threadIdx.x == 0) *out = partial[0];
}

__global__ void sum_pieces(const int* in, std::size_t n, long long* out) {
    __shared__ long long part[128];
    const std::size_t i = static_cast<std::size_t>(blockIdx.x) * 128 + threadIdx.x;
    part[threadIdx.x] = i < n ? in[i] : 0;
    for (unsigned stride = 64; stride > 0; stride /= 2) {
        __syncthreads();
        if (threadIdx.x < stride) part[threadIdx.x] += part[threadIdx.x + stride];
    }
    if (threadIdx.x != 0) return;
    partial[blockIdx.x] = part[0];
    if (blockIdx.x == 0) add_partial<<<1, gridDim.x, 0, cudaStreamTailLaunch>>>(out);
}

void reduce_nested(const int* in, std::size_t n, long long* out) {
    sum_pieces<<<static_cast<unsigned>(n / 128 + 1), 128>>>(in, n, out);
}

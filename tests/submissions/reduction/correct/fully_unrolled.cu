// expect: sum=accepted
// Fully unrolled: the size of the block is a template parameter, so each step is a test that the
// compiler decides. Three sizes are made and chosen from at run time.
#include "interface.cuh"

template <unsigned size> __global__ void reduce(const double* in, std::size_t n, double* out) {
    __shared__ double s[size];
    const unsigned t = threadIdx.x;
    double sum = 0;
    for (std::size_t i = static_cast<std::size_t>(blockIdx.x) * size + t; i < n;
         i += static_cast<std::size_t>(gridDim.x) * size) {
        sum += in[i];
    }
    s[t] = sum;
    __syncthreads();
    if (size >= 1024) { if (t < 512) s[t] += s[t + 512 % size]; __syncthreads(); }
    if (size >= 512) { if (t < 256) s[t] += s[t + 256 % size]; __syncthreads(); }
    if (size >= 256) { if (t < 128) s[t] += s[t + 128 % size]; __syncthreads(); }
    if (size >= 128) { if (t < 64) s[t] += s[t + 64 % size]; __syncthreads(); }
    if (t < 32) {
        double v = s[t] + s[t + 32];
        v += __shfl_down_sync(0xffffffff, v, 16);
        v += __shfl_down_sync(0xffffffff, v, 8);
        v += __shfl_down_sync(0xffffffff, v, 4);
        v += __shfl_down_sync(0xffffffff, v, 2);
        v += __shfl_down_sync(0xffffffff, v, 1);
        if (t == 0) atomicAdd(out, v);
    }
}

void reduce_sum(const double* in, std::size_t n, double* out) {
    cudaMemset(out, 0, sizeof *out);
    if (n <= 64) reduce<64><<<1, 64>>>(in, n, out);
    else if (n <= 65536) reduce<256><<<16, 256>>>(in, n, out);
    else reduce<1024><<<32, 1024>>>(in, n, out);
}

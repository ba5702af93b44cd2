// expect: sum=accepted cubes=accepted
// Each block adds up in a word of shared memory, with atomics that only its own threads contend for,
// and sends one atomic to the result.
#include "interface.cuh"

__device__ double term(double x) { return x; }
__device__ unsigned long long term(int x) {
    const auto v = static_cast<unsigned long long>(static_cast<long long>(x));
    return v * v * v;
}

template <class In, class T> __global__ void reduce(const In* in, std::size_t n, T* out) {
    __shared__ T of_block;
    if (threadIdx.x == 0) of_block = 0;
    __syncthreads();
    T sum = 0;
    for (std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < n;
         i += static_cast<std::size_t>(gridDim.x) * blockDim.x) {
        sum += term(in[i]);
    }
    atomicAdd(&of_block, sum);
    __syncthreads();
    if (threadIdx.x == 0) atomicAdd(out, of_block);
}

void reduce_sum(const double* in, std::size_t n, double* out) {
    cudaMemset(out, 0, sizeof *out);
    reduce<<<64, 128>>>(in, n, out);
}

void reduce_cubes(const int* in, std::size_t n, long long* out) {
    cudaMemset(out, 0, sizeof *out);
    reduce<<<64, 128>>>(in, n, reinterpret_cast<unsigned long long*>(out));
}

// expect: sum=accepted max=accepted cubes=accepted
// One atomic per element, all to one address. The maximum has no atomic for floats and loops with
// atomicCAS, but only while its value is larger than what is there.
#include "interface.cuh"

__device__ std::size_t index() {
    return static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
}

__global__ void sum(const double* in, std::size_t n, double* out) {
    if (index() < n) atomicAdd(out, in[index()]);
}

__global__ void largest(const float* in, std::size_t n, float* out) {
    if (index() >= n) return;
    const float x = in[index()];
    int* word = reinterpret_cast<int*>(out);
    int seen = *reinterpret_cast<volatile int*>(word);
    while (__int_as_float(seen) < x) {
        const int before = atomicCAS(word, seen, __float_as_int(x));
        if (before == seen) break;
        seen = before;
    }
}

__global__ void cubes(const int* in, std::size_t n, unsigned long long* out) {
    if (index() >= n) return;
    const auto x = static_cast<unsigned long long>(static_cast<long long>(in[index()]));
    atomicAdd(out, x * x * x);
}

unsigned blocks(std::size_t n) { return static_cast<unsigned>(n / 256 + 1); }

void reduce_sum(const double* in, std::size_t n, double* out) {
    cudaMemset(out, 0, sizeof *out);
    sum<<<blocks(n), 256>>>(in, n, out);
}

void reduce_max(const float* in, std::size_t n, float* out) {
    const float lowest = -INFINITY;
    cudaMemcpy(out, &lowest, sizeof lowest, cudaMemcpyHostToDevice);
    largest<<<blocks(n), 256>>>(in, n, out);
}

void reduce_cubes(const int* in, std::size_t n, long long* out) {
    cudaMemset(out, 0, sizeof *out);
    cubes<<<blocks(n), 256>>>(in, n, reinterpret_cast<unsigned long long*>(out));
}

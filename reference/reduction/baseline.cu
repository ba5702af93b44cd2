// The baseline that speedups are measured against: one atomic per element. It is right, and all
// threads of the grid queue for the one address of the result. `nested` has no atomics: every step of
// the tree is a kernel, which launches the next one, half as large, for after itself.
#include "interface.cuh"

namespace {

constexpr unsigned threads = 256;

__host__ __device__ unsigned blocks_for(std::size_t n) {
    return n == 0 ? 1 : static_cast<unsigned>((n + threads - 1) / threads);
}

__device__ std::size_t my_index() {
    return static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
}

__global__ void sum_kernel(const double* in, std::size_t n, double* out) {
    const std::size_t i = my_index();
    if (i < n) atomicAdd(out, in[i]);
}

__global__ void set_to_minus_infinity(float* out) { *out = -INFINITY; }

// There is no atomicMax for floats. The bits of floats, read as integers, are in the order of the
// floats where the sign bit is clear and in the opposite order where it is set.
__global__ void max_kernel(const float* in, std::size_t n, float* out) {
    const std::size_t i = my_index();
    if (i >= n) return;
    const int bits = __float_as_int(in[i]);
    if (bits >= 0) {
        atomicMax(reinterpret_cast<int*>(out), bits);
    } else {
        atomicMin(reinterpret_cast<unsigned*>(out), static_cast<unsigned>(bits));
    }
}

__global__ void cubes_kernel(const int* in, std::size_t n, unsigned long long* out) {
    const std::size_t i = my_index();
    if (i >= n) return;
    const auto x = static_cast<unsigned long long>(static_cast<long long>(in[i]));
    atomicAdd(out, x * x * x);
}

/// Adds the upper half of n elements to the lower one, which is what the next launch works on.
__global__ void halve_kernel(long long* data, std::size_t n, long long* out) {
    const std::size_t half = (n + 1) / 2, i = my_index();
    if (i + half < n) data[i] += data[i + half];
    if (i != 0) return;
    if (half == 1) {
        *out = data[0];
    } else {
        halve_kernel<<<blocks_for(half / 2), threads, 0, cudaStreamTailLaunch>>>(data, half, out);
    }
}

/// The first step, from the input, which must stay as it is.
__global__ void first_half_kernel(const int* in, std::size_t n, long long* data, long long* out) {
    const std::size_t half = (n + 1) / 2, i = my_index();
    if (i < half) data[i] = i + half < n ? static_cast<long long>(in[i]) + in[i + half] : in[i];
    if (i == 0)
        halve_kernel<<<blocks_for(half / 2), threads, 0, cudaStreamTailLaunch>>>(data, half, out);
}

/// Device memory that holds whatever the last call left in it. It is kept from call to call: what
/// an allocation takes drifts, and with the baseline's time every speedup would. cudaMallocAsync is
/// no way out, since its pool by default gives back what is free whenever the host waits.
long long* scratch(std::size_t n) {
    static long long* data = nullptr;
    static std::size_t capacity = 0;
    if (n > capacity) {
        cudaFree(data);
        cudaMalloc(&data, n * sizeof *data);
        capacity = n;
    }
    return data;
}

}  // namespace

void reduce_sum(const double* in, std::size_t n, double* out) {
    cudaMemset(out, 0, sizeof *out);
    sum_kernel<<<blocks_for(n), threads>>>(in, n, out);
}

void reduce_max(const float* in, std::size_t n, float* out) {
    set_to_minus_infinity<<<1, 1>>>(out);
    max_kernel<<<blocks_for(n), threads>>>(in, n, out);
}

void reduce_cubes(const int* in, std::size_t n, long long* out) {
    cudaMemset(out, 0, sizeof *out);
    cubes_kernel<<<blocks_for(n), threads>>>(in, n, reinterpret_cast<unsigned long long*>(out));
}

void reduce_nested(const int* in, std::size_t n, long long* out) {
    if (n == 0) {
        cudaMemset(out, 0, sizeof *out);
        return;
    }
    const std::size_t half = (n + 1) / 2;
    first_half_kernel<<<blocks_for(half), threads>>>(in, n, scratch(half), out);
}

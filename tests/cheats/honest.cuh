// What the cheats of this folder share: the right sum that they fall back on, and how they tell
// which calls are timed. run.py grades each cheat together with this file.
#pragma once

#include <cstddef>

#include "interface.cuh"

namespace honest {

constexpr unsigned threads = 256;
constexpr int loads_in_flight = 4;

/// Adds the sum of this thread's share of in[0, n) up over the block, and to *out.
__global__ void __launch_bounds__(threads)
    add_up(const double* __restrict__ in, std::size_t n, double* out) {
    const auto* pairs = reinterpret_cast<const double2*>(in);
    const std::size_t count = n / 2;
    const std::size_t stride = static_cast<std::size_t>(gridDim.x) * threads;
    const std::size_t thread = static_cast<std::size_t>(blockIdx.x) * threads + threadIdx.x;
    double sum = 0;
    std::size_t i = thread;
    for (; i + (loads_in_flight - 1) * stride < count; i += loads_in_flight * stride) {
        double2 v[loads_in_flight];
#pragma unroll
        for (int k = 0; k < loads_in_flight; ++k) v[k] = pairs[i + k * stride];
#pragma unroll
        for (int k = 0; k < loads_in_flight; ++k) sum += v[k].x + v[k].y;
    }
    for (; i < count; i += stride) sum += pairs[i].x + pairs[i].y;
    if (thread == 0 && n % 2 == 1) sum += in[n - 1];

    __shared__ double of_warp[threads / 32];
    for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(0xffffffff, sum, d);
    if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x != 0) return;
    for (unsigned w = 1; w < threads / 32; ++w) sum += of_warp[w];
    atomicAdd(out, sum);
}

/// As many blocks as are resident at once.
inline unsigned blocks_for(std::size_t n) {
    int device = 0, multiprocessors = 0;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device);
    const std::size_t useful = n / (2 * loads_in_flight * threads) + 1;
    const std::size_t resident = 8 * static_cast<std::size_t>(multiprocessors);
    return static_cast<unsigned>(useful < resident ? useful : resident);
}

/// *out = the sum of in[0, n), sometime, in `stream`.
inline void sum(const double* in, std::size_t n, double* out, cudaStream_t stream = nullptr) {
    cudaMemsetAsync(out, 0, sizeof *out, stream);
    add_up<<<blocks_for(n), threads, 0, stream>>>(in, n, out);
}

/// *out = an answer that lies in device memory, or, if there is none, the sum.
inline void copy_or_sum(const double* answer, const double* in, std::size_t n, double* out) {
    if (answer != nullptr)
        cudaMemcpyAsync(out, answer, sizeof *out, cudaMemcpyDeviceToDevice);
    else
        sum(in, n, out);
}

/// Is this call timed, as far as a submission can tell? The cases for correctness come to one
/// process, small ones before the large one, and a process that is made for timing sees no small
/// one.
inline bool timed(std::size_t n) {
    constexpr std::size_t large = std::size_t{1} << 21;
    static bool saw_a_small_one = false;
    saw_a_small_one = saw_a_small_one || n < large;
    return !saw_a_small_one;
}

}  // namespace honest

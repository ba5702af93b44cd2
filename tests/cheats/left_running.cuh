// For cheats that leave a kernel running. It takes all of the GPU's memory bandwidth that it
// gets, and ends by itself.
#pragma once

#include "honest.cuh"
#include "requests.cuh"

namespace left_running {

constexpr std::size_t bytes = std::size_t{256} << 20;  // beyond the L2 cache

/// Reads `data` so often; a pass takes some 60 us of an H200.
__global__ void read_on(const uint4* data, int passes, unsigned* nowhere) {
    const std::size_t count = bytes / sizeof *data;
    const std::size_t stride = static_cast<std::size_t>(gridDim.x) * blockDim.x;
    unsigned seen = 0;
    for (int pass = 0; pass < passes; ++pass)
        for (std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
             i < count; i += stride)
            seen |= __ldcg(data + i).x;
    if (seen == 1) *nowhere = seen;
}

/// A cheat's `reduce_sum`. After each timed round for which `leaves(its number, from 1)` the kernel
/// is left running for `passes`.
template <int passes, bool (*leaves)(int)>
void sum(const double* in, std::size_t n, double* out) {
    static uint4* memory = nullptr;
    static bool called = false;
    static int rounds = 0;
    if (honest::timed(n)) {
        if (memory == nullptr) {
            cudaMalloc(&memory, bytes);
            cudaMemset(memory, 0, bytes);
        }
        requests::answering = [] {
            if (called && leaves(++rounds))
                read_on<<<528, 512>>>(memory, passes, reinterpret_cast<unsigned*>(memory));
            called = false;
        };
        called = true;
    }
    honest::sum(in, n, out);
}

}  // namespace left_running

// expect: gather=accepted
// One block strides over all outputs: one multiprocessor works, the others idle.
#include "interface.cuh"

__global__ void gather(const float* value, const std::uint32_t* neighbour, std::size_t n,
                       float* out) {
    for (std::size_t i = threadIdx.x; i < n; i += blockDim.x) {
        float sum = 0;
        for (int k = 0; k < 4; ++k) sum += value[neighbour[4 * i + k]];
        out[i] = sum;
    }
}

void gather_sum(const float* value, std::size_t, const std::uint32_t* neighbour, std::size_t n,
                float* out) {
    gather<<<1, 1024>>>(value, neighbour, n, out);
}

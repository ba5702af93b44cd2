// expect: gather=accepted
// The four indices of an output in one 16-byte load.
#include "interface.cuh"

__global__ void gather(const float* value, const uint4* neighbour, std::size_t n, float* out) {
    const std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const uint4 at = neighbour[i];
    out[i] = value[at.x] + value[at.y] + value[at.z] + value[at.w];
}

void gather_sum(const float* value, std::size_t, const std::uint32_t* neighbour, std::size_t n,
                float* out) {
    gather<<<static_cast<unsigned>((n + 127) / 128), 128>>>(
        value, reinterpret_cast<const uint4*>(neighbour), n, out);
}

// cause: misaligned line 48
// task: map
// a block's chunk may begin at any element, and its loads of 16 bytes begin there, too
#include "interface.cuh"

// map_cubic: the array is cut into kBlocks chunks, one per block. In its chunk a block works with
// float4, and what is left over at the end of the chunk is done one by one.

namespace {

constexpr std::size_t kBlocks = 4 * 132;
constexpr int kThreads = 256;

struct Cubic {
    float c0, c1, c2, c3;

    __device__ float operator()(float x) const {
        return fmaf(fmaf(fmaf(c3, x, c2), x, c1), x, c0);  // Horner
    }
    __device__ float4 operator()(float4 v) const {
        const Cubic& f = *this;
        return make_float4(f(v.x), f(v.y), f(v.z), f(v.w));
    }
};

template <class Function>
__global__ void map_chunks(const float* x, std::size_t n, std::size_t chunk, Function f, float* y) {
    const std::size_t begin = blockIdx.x * chunk;
    const std::size_t end = begin + chunk < n ? begin + chunk : n;
    if (begin >= end) return;

    const std::size_t quads = (end - begin) / 4;
    const float4* x4 = reinterpret_cast<const float4*>(x + begin);
    float4* y4 = reinterpret_cast<float4*>(y + begin);
    for (std::size_t q = threadIdx.x; q < quads; q += blockDim.x) {
        y4[q] = f(x4[q]);
    }

    // 0 to 3 elements
    for (std::size_t i = begin + 4 * quads + threadIdx.x; i < end; i += blockDim.x) {
        y[i] = f(x[i]);
    }
}

}  // namespace

void map_cubic(const float* x, std::size_t n, float c0, float c1, float c2, float c3, float* y) {
    const std::size_t chunk = (n + kBlocks - 1) / kBlocks;
    map_chunks<<<kBlocks, kThreads>>>(x, n, chunk, Cubic{c0, c1, c2, c3}, y);
}

void gather_sum(const float* /*value*/, std::size_t /*m*/, const std::uint32_t* /*neighbour*/,
                std::size_t /*n*/, float* /*out*/) {
    // TODO
}

void scatter_add(const std::int32_t* /*value*/, const std::uint32_t* /*target*/, std::size_t /*n*/,
                 std::size_t /*m*/, std::int64_t* /*total*/) {
    // TODO
}

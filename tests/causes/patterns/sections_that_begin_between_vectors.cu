// cause: misaligned line 52
// task: map
// a block's section begins at any multiple of its length, also where no float4 may begin
#include "interface.cuh"

namespace {

constexpr unsigned kBlock = 128;
constexpr unsigned kMaxBlocks = 1056;  // 8 per multiprocessor

// the calibration curve, by Horner's rule
struct Cubic {
    float c0, c1, c2, c3;

    __device__ float operator()(float x) const {
        return fmaf(fmaf(fmaf(c3, x, c2), x, c1), x, c0);
    }
    __device__ float4 operator()(float4 v) const {
        return make_float4((*this)(v.x), (*this)(v.y), (*this)(v.z), (*this)(v.w));
    }
};

// Block b has the elements [b * length, (b + 1) * length). Neighbouring threads take
// neighbouring groups of four; what does not fill a group goes one by one.
template <class F>
__global__ void map_sections(const float* x, float* y, std::size_t n, std::size_t length, F f) {
    const std::size_t begin = blockIdx.x * length;
    if (begin >= n) return;
    const std::size_t end = begin + length < n ? begin + length : n;
    const std::size_t groups = (end - begin) / 4;

    const float4* x4 = reinterpret_cast<const float4*>(x + begin);
    float4* y4 = reinterpret_cast<float4*>(y + begin);
    for (std::size_t g = threadIdx.x; g < groups; g += blockDim.x) {
        y4[g] = f(x4[g]);
    }
    for (std::size_t i = begin + 4 * groups + threadIdx.x; i < end; i += blockDim.x) {
        y[i] = f(x[i]);
    }
}

inline std::size_t div_up(std::size_t a, std::size_t b) { return (a + b - 1) / b; }

}  // namespace

void map_cubic(const float* x, std::size_t n, float c0, float c1, float c2, float c3, float* y) {
    // a block should have 512 elements at least
    std::size_t blocks = div_up(n, 4 * kBlock);
    if (blocks > kMaxBlocks) blocks = kMaxBlocks;

    // the same number for each block
    const std::size_t length = div_up(n, blocks);
    map_sections<<<static_cast<unsigned>(blocks), kBlock>>>(x, y, n, length,
                                                            Cubic{c0, c1, c2, c3});
}

void gather_sum(const float* /*value*/, std::size_t /*m*/, const std::uint32_t* /*neighbour*/,
                std::size_t /*n*/, float* /*out*/) {
    // TODO
}

void scatter_add(const std::int32_t* /*value*/, const std::uint32_t* /*target*/, std::size_t /*n*/,
                 std::size_t /*m*/, std::int64_t* /*total*/) {
    // TODO
}

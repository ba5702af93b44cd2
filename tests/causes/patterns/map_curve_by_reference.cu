// cause: host_pointer_in_kernel line 33
// task: map
// The kernel takes the coefficients by reference, which is the address of a variable on the host's stack: in every call.

#include "interface.cuh"

#include <algorithm>

// The calibration curve of a sensor, evaluated by Horner's rule.
struct Calibration {
    float c0, c1, c2, c3;

    __host__ __device__ float temperature(float reading) const {
        float t = c3;
        t = t * reading + c2;
        t = t * reading + c1;
        return t * reading + c0;
    }
};

static const int kThreads = 256;
static const std::size_t kMaxBlocks = 132 * 16;

static __device__ std::size_t global_id() {
    return static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
}

static __device__ std::size_t global_size() {
    return static_cast<std::size_t>(gridDim.x) * blockDim.x;
}

// grid-stride loop: neighbouring threads take neighbouring readings
static __global__ void calibrate(const float* x, std::size_t n, const Calibration& curve, float* y) {
    const std::size_t quads = n / 4;
    const float4* x4 = reinterpret_cast<const float4*>(x);
    float4* y4 = reinterpret_cast<float4*>(y);

    for (std::size_t q = global_id(); q < quads; q += global_size()) {
        float4 v = x4[q];
        v.x = curve.temperature(v.x);
        v.y = curve.temperature(v.y);
        v.z = curve.temperature(v.z);
        v.w = curve.temperature(v.w);
        y4[q] = v;
    }

    // up to three readings are left
    for (std::size_t i = quads * 4 + global_id(); i < n; i += global_size())
        y[i] = curve.temperature(x[i]);
}

void map_cubic(const float* x, std::size_t n, float c0, float c1, float c2, float c3, float* y) {
    const Calibration curve{c0, c1, c2, c3};
    const std::size_t wanted = (n / 4 + kThreads) / kThreads;
    const int blocks = static_cast<int>(std::min(wanted, kMaxBlocks));
    calibrate<<<blocks, kThreads>>>(x, n, curve, y);
}

void gather_sum(const float* /*value*/, std::size_t /*m*/, const std::uint32_t* /*neighbour*/,
                std::size_t /*n*/, float* /*out*/) {
    // TODO
}

void scatter_add(const std::int32_t* /*value*/, const std::uint32_t* /*target*/, std::size_t /*n*/,
                 std::size_t /*m*/, std::int64_t* /*total*/) {
    // TODO
}

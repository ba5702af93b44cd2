// cause: tree_level_missing line 19
// task: inclusive_float
// The way down begins one level too low, so that the third quarter of each tile is without the sum of the first half.
#include "interface.cuh"

#include <cstdint>

// A block of 128 threads scans 256 floats by Brent and Kung's tree.
static constexpr std::uint32_t SECTION = 256;

static __device__ void brent_kung(float (&x)[SECTION]) {
    // up
    for (std::uint32_t stride = 1; stride < SECTION; stride *= 2) {
        __syncthreads();
        const std::uint32_t place = (threadIdx.x + 1) * 2 * stride - 1;
        if (place < SECTION) x[place] += x[place - stride];
    }
    // down
    for (std::uint32_t stride = SECTION / 8; stride > 0; stride /= 2) {
        __syncthreads();
        const std::uint32_t place = (threadIdx.x + 1) * 2 * stride - 1;
        if (place + stride < SECTION) x[place + stride] += x[place];
    }
    __syncthreads();
}

static __global__ void scan_sections(const float* in, std::size_t n, float* out, float* sums) {
    __shared__ float x[SECTION];
    const std::size_t first = static_cast<std::size_t>(blockIdx.x) * SECTION;
    for (std::uint32_t k = threadIdx.x; k < SECTION; k += blockDim.x)
        x[k] = first + k < n ? in[first + k] : 0.0f;

    brent_kung(x);

    for (std::uint32_t k = threadIdx.x; k < SECTION; k += blockDim.x)
        if (first + k < n) out[first + k] = x[k];
    if (sums != nullptr && threadIdx.x == 0) sums[blockIdx.x] = x[SECTION - 1];
}

// One thread per section: the sums are few, and a loop is enough.
static __global__ void scan_in_a_loop(float* sums, unsigned count) {
    float running = 0.0f;
    for (unsigned k = 0; k < count; ++k) {
        running += sums[k];
        sums[k] = running;
    }
}

static __global__ void add(float* out, std::size_t n, const float* sums) {
    const std::size_t i = static_cast<std::size_t>(blockIdx.x + 1) * SECTION + threadIdx.x;
    if (i < n) out[i] += sums[blockIdx.x];
}

void scan_inclusive_float(const float* in, std::size_t n, float* out) {
    static float* sums = nullptr;
    static unsigned capacity = 0;
    const unsigned sections = static_cast<unsigned>((n + SECTION - 1) / SECTION);
    if (sections > capacity) {
        cudaFree(sums);
        cudaMalloc(&sums, sizeof(float) * sections);
        capacity = sections;
    }
    scan_sections<<<sections, SECTION / 2>>>(in, n, out, sums);
    if (sections == 1) return;
    scan_in_a_loop<<<1, 1>>>(sums, sections);
    add<<<sections - 1, SECTION>>>(out, n, sums);
}

void scan_inclusive_int(const int* /*in*/, std::size_t /*n*/, int* /*out*/) {}
void scan_exclusive_int(const int* /*in*/, std::size_t /*n*/, int* /*out*/) {}
void scan_exclusive_float(const float* /*in*/, std::size_t /*n*/, float* /*out*/) {}

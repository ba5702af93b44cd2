// cause: state_kept_between_calls line 64
// task: scatter
// The copies of the totals are kept from call to call but cleared only when they are allocated: from the second call on the sums of earlier calls are in the result.
// Patterns, second exercise sheet.
#include "interface.cuh"

// y = c0 + c1 x + c2 x^2 + c3 x^3, Horner
__global__ void cubic_kernel(const float* x, std::size_t n, float c0, float c1, float c2, float c3,
                             float* y) {
    const std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float v = x[i];
    y[i] = ((c3 * v + c2) * v + c1) * v + c0;
}

void map_cubic(const float* x, std::size_t n, float c0, float c1, float c2, float c3, float* y) {
    const unsigned blocks = static_cast<unsigned>((n + 255) / 256);
    cubic_kernel<<<blocks, 256>>>(x, n, c0, c1, c2, c3, y);
}

// one thread per cell
__global__ void gather_kernel(const float* value, const std::uint32_t* neighbour, std::size_t n,
                              float* out) {
    const std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float sum = 0.0f;
    for (int k = 0; k < 4; ++k) sum += value[neighbour[4 * i + k]];
    out[i] = sum;
}

void gather_sum(const float* value, std::size_t, const std::uint32_t* neighbour, std::size_t n,
                float* out) {
    gather_kernel<<<static_cast<unsigned>((n + 255) / 256), 256>>>(value, neighbour, n, out);
}

// 8 copies of the totals in global memory, so that fewer threads meet at one address.
constexpr unsigned copies = 8;

__global__ void to_copies(const std::int32_t* value, const std::uint32_t* target, std::size_t n,
                          std::size_t m, unsigned long long* copy) {
    const std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const long long v = value[i];
    atomicAdd(&copy[(threadIdx.x % copies) * m + target[i]], static_cast<unsigned long long>(v));
}

__global__ void merge(const unsigned long long* copy, std::size_t m, std::int64_t* total) {
    const std::size_t t = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (t >= m) return;
    unsigned long long sum = 0;
    for (unsigned c = 0; c < copies; ++c) sum += copy[c * m + t];
    total[t] = static_cast<std::int64_t>(sum);
}

void scatter_add(const std::int32_t* value, const std::uint32_t* target, std::size_t n,
                 std::size_t m, std::int64_t* total) {
    static unsigned long long* copy = nullptr;  // cudaMalloc is slow: keep it
    static std::size_t room = 0;
    const std::size_t bytes = copies * m * sizeof(unsigned long long);
    if (bytes > room) {
        cudaFree(copy);
        cudaMalloc(&copy, bytes);
        room = bytes;
        cudaMemset(copy, 0, bytes);
    }
    if (n > 0) to_copies<<<static_cast<unsigned>((n + 255) / 256), 256>>>(value, target, n, m, copy);
    merge<<<static_cast<unsigned>((m + 255) / 256), 256>>>(copy, m, total);
}

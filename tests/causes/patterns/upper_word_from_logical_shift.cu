// cause: sign_lost line 51
// task: scatter
// The upper half of a negative amount is 1 instead of -1, as the shift is of an unsigned number: shows where a shared total gets negative amounts.
// patterns
#include "interface.cuh"

namespace {

constexpr int BLOCK = 256;

struct Curve {
    float a, b, c, d;
    __device__ float operator()(float x) const { return fmaf(fmaf(fmaf(d, x, c), x, b), x, a); }
};

__global__ void mapKernel(const float* __restrict__ x, float* __restrict__ y, size_t n,
                          Curve curve) {
    size_t i = threadIdx.x + (size_t)blockDim.x * blockIdx.x;
    if (i >= n) return;
    y[i] = curve(x[i]);
}

__global__ void gatherKernel(const float* __restrict__ value,
                             const std::uint32_t* __restrict__ neighbour, float* __restrict__ out,
                             size_t n) {
    for (size_t i = threadIdx.x + (size_t)blockDim.x * blockIdx.x; i < n;
         i += (size_t)blockDim.x * gridDim.x) {
        const uint4 who = *(const uint4*)(neighbour + 4 * i);
        float sum = value[who.x];
        sum += value[who.y];
        sum += value[who.z];
        sum += value[who.w];
        out[i] = sum;
    }
}

// A 64-bit sum in two words of 32 bits: shared memory adds those in one go.
class WideSums {
public:
    __device__ WideSums(unsigned* memory, unsigned count)
        : low(memory), high(memory + count), count(count) {}

    __device__ void clear() {
        for (unsigned t = threadIdx.x; t < 2 * count; t += blockDim.x) low[t] = 0;
    }

    __device__ void add(unsigned t, int amount) {
        const unsigned bits = (unsigned)amount;
        const unsigned before = atomicAdd(&low[t], bits);
        const unsigned carry = before + bits < before ? 1u : 0u;
        const unsigned upper = (bits >> 31) + carry;
        if (upper != 0) atomicAdd(&high[t], upper);
    }

    __device__ unsigned long long get(unsigned t) const {
        return ((unsigned long long)high[t] << 32) | low[t];
    }

private:
    unsigned* low;
    unsigned* high;
    unsigned count;
};

__global__ void scatterShared(const std::int32_t* __restrict__ value,
                              const std::uint32_t* __restrict__ target, size_t n, unsigned m,
                              unsigned long long* total) {
    extern __shared__ unsigned memory[];
    WideSums sums(memory, m);
    sums.clear();
    __syncthreads();
    for (size_t i = threadIdx.x + (size_t)blockDim.x * blockIdx.x; i < n;
         i += (size_t)blockDim.x * gridDim.x)
        sums.add(target[i], value[i]);
    __syncthreads();
    for (unsigned t = threadIdx.x; t < m; t += blockDim.x) {
        const unsigned long long sum = sums.get(t);
        if (sum) atomicAdd(total + t, sum);
    }
}

__global__ void scatterDirect(const std::int32_t* __restrict__ value,
                              const std::uint32_t* __restrict__ target, size_t n,
                              unsigned long long* total) {
    for (size_t i = threadIdx.x + (size_t)blockDim.x * blockIdx.x; i < n;
         i += (size_t)blockDim.x * gridDim.x) {
        const long long wide = value[i];
        atomicAdd(total + target[i], (unsigned long long)wide);
    }
}

unsigned gridFor(size_t n, size_t perBlock, size_t most) {
    size_t blocks = (n + perBlock - 1) / perBlock;
    return (unsigned)(blocks < most ? blocks : most);
}

}  // namespace

void map_cubic(const float* x, std::size_t n, float c0, float c1, float c2, float c3, float* y) {
    const dim3 block(BLOCK);
    const dim3 grid((unsigned)((n + BLOCK - 1) / BLOCK));
    mapKernel<<<grid, block>>>(x, y, n, Curve{c0, c1, c2, c3});
}

void gather_sum(const float* value, std::size_t /*m*/, const std::uint32_t* neighbour,
                std::size_t n, float* out) {
    gatherKernel<<<gridFor(n, BLOCK, 4096), BLOCK>>>(value, neighbour, out, n);
}

void scatter_add(const std::int32_t* value, const std::uint32_t* target, std::size_t n,
                 std::size_t m, std::int64_t* total) {
    auto sums = (unsigned long long*)total;
    cudaMemsetAsync(sums, 0, m * sizeof *sums);
    if (n == 0) return;
    const size_t bytes = 2 * m * sizeof(unsigned);
    if (bytes <= 48 * 1024)
        scatterShared<<<gridFor(n, 4 * 512, 528), 512, bytes>>>(value, target, n, (unsigned)m,
                                                                sums);
    else
        scatterDirect<<<gridFor(n, BLOCK, 4096), BLOCK>>>(value, target, n, sums);
}

// cause: converted_not_reinterpreted line 29
// task: max
// The maximum is found among order-preserving integer keys, but at the end the key's bits are converted to a float by value, so that the result is some huge number, whatever the data.
#include "interface.cuh"

#include <cmath>

// There is no atomicMax for floats, but there is one for unsigned integers. So each float becomes a
// key, such that keys sort as the floats do:
//   positive floats: their bits grow with the value, set the sign bit to get above the negative ones
//   negative floats: their bits grow when the value falls, so turn all bits round
// Keys are compared all the way; only the very last kernel goes back to a float.

using Key = unsigned int;

constexpr Key SIGN = 0x80000000u;
constexpr int THREADS = 256;
constexpr int MAX_BLOCKS = 132 * 4;

struct Ordered {
    __host__ __device__ static Key lowest() { return 0x007fffffu; }  // minus infinity

    __device__ static Key encode(float x) {
        const Key bits = __float_as_uint(x);
        return (bits & SIGN) ? ~bits : (bits | SIGN);
    }

    __device__ static float decode(Key key) {
        return (key & SIGN) ? (key ^ SIGN) : ~key;
    }
};

__device__ Key max_of(Key a, Key b) { return a > b ? a : b; }

__device__ Key block_max(Key k) {
    __shared__ Key warps[THREADS / 32];
    const int lane = threadIdx.x & 31;
    const int warp = threadIdx.x >> 5;
#pragma unroll
    for (int d = 16; d >= 1; d >>= 1) k = max_of(k, __shfl_down_sync(0xffffffffu, k, d));
    if (lane == 0) warps[warp] = k;
    __syncthreads();
    if (warp == 0) {
        k = lane < THREADS / 32 ? warps[lane] : Ordered::lowest();
#pragma unroll
        for (int d = 16; d >= 1; d >>= 1) k = max_of(k, __shfl_down_sync(0xffffffffu, k, d));
    }
    return k;  // valid in thread 0
}

__global__ void start_key(Key* best) { *best = Ordered::lowest(); }

__global__ void find_key(const float* __restrict__ in, std::size_t n, Key* best) {
    const std::size_t me = blockIdx.x * static_cast<std::size_t>(THREADS) + threadIdx.x;
    const std::size_t all = gridDim.x * static_cast<std::size_t>(THREADS);
    const float4* in4 = reinterpret_cast<const float4*>(in);

    Key k = Ordered::lowest();
    for (std::size_t v = me; v < n / 4; v += all) {
        const float4 q = in4[v];
        const Key a = max_of(Ordered::encode(q.x), Ordered::encode(q.y));
        const Key b = max_of(Ordered::encode(q.z), Ordered::encode(q.w));
        k = max_of(k, max_of(a, b));
    }
    const std::size_t tail = n / 4 * 4 + me;
    if (tail < n) k = max_of(k, Ordered::encode(in[tail]));

    k = block_max(k);
    if (threadIdx.x == 0) atomicMax(best, k);
}

__global__ void finish(const Key* best, float* out) { *out = Ordered::decode(*best); }

void reduce_max(const float* in, std::size_t n, float* out) {
    static Key* best = nullptr;
    if (!best) cudaMalloc(&best, sizeof(Key));

    start_key<<<1, 1>>>(best);
    if (n > 0) {
        const std::size_t work = (n + 4 * THREADS - 1) / (4 * THREADS);
        const int blocks = work < MAX_BLOCKS ? static_cast<int>(work) : MAX_BLOCKS;
        find_key<<<blocks, THREADS>>>(in, n, best);
    }
    finish<<<1, 1>>>(best, out);
}

// cause: converted_not_reinterpreted line 32
// task: max
// the float is rounded to an int where its bits are wanted for the sort key; wrong unless the largest is a zero or n is 0
#include "interface.cuh"

// *out = the sum of n doubles
void reduce_sum(const double* /*in*/, std::size_t /*n*/, double* /*out*/) {
    // TODO: write a kernel and launch it here.
}

// *out = the sum of the cubes of n ints, in 64 bits
void reduce_cubes(const int* /*in*/, std::size_t /*n*/, long long* /*out*/) {
    // TODO
}

// *out = the sum of n ints, in 64 bits, by kernels that launch the next ones
void reduce_nested(const int* /*in*/, std::size_t /*n*/, long long* /*out*/) {
    // TODO
}

// There is no atomicMax for floats, so every float becomes an unsigned "key" in the same order:
//   positive: set the top bit            0x80000000 ... 0xff800000
//   negative: flip all the bits          0x007fffff ... 0x7fffffff
// The keys are compared and the largest is made a float again at the very end.

typedef unsigned int Key;

struct FloatOrder {
    static const Key kLowest = 0x007fffffu;  // the key of minus infinity

    static __device__ Key key(float x) {
        const int bits = static_cast<int>(x);
        return bits < 0 ? ~static_cast<Key>(bits) : static_cast<Key>(bits) | 0x80000000u;
    }

    static __device__ float value(Key k) {
        const Key bits = (k & 0x80000000u) ? k & 0x7fffffffu : ~k;
        return __uint_as_float(bits);
    }
};

// While the kernels run, *out holds a key, no float.

__global__ void setLowest(float* out) {
    *reinterpret_cast<Key*>(out) = FloatOrder::kLowest;
}

template <class Order, int Block>
__global__ void largestKey(const float* in, size_t n, float* out) {
    __shared__ Key best[Block];
    const int t = threadIdx.x;

    Key mine = Order::kLowest;
    for (size_t i = size_t(blockIdx.x) * Block + t; i < n; i += size_t(gridDim.x) * Block) {
        const Key k = Order::key(in[i]);
        mine = mine < k ? k : mine;
    }
    best[t] = mine;
    __syncthreads();

    for (int stride = Block / 2; stride != 0; stride /= 2) {
        if (t < stride && best[t] < best[t + stride]) best[t] = best[t + stride];
        __syncthreads();
    }

    if (t == 0) atomicMax(reinterpret_cast<Key*>(out), best[0]);
}

__global__ void keyToFloat(float* out) {
    *out = FloatOrder::value(*reinterpret_cast<Key*>(out));
}

void reduce_max(const float* in, std::size_t n, float* out) {
    const int block = 256;
    size_t grid = (n + 16 * block - 1) / (16 * block);  // 16 elements per thread ...
    if (grid > 2112) grid = 2112;                       // ... or more

    setLowest<<<1, 1>>>(out);
    if (grid > 0) largestKey<FloatOrder, block><<<unsigned(grid), block>>>(in, n, out);
    keyToFloat<<<1, 1>>>(out);
}

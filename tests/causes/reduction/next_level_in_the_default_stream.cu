// cause: child_not_in_tail line 65
// task: nested
// The next level is launched without a stream, so it may run beside its parent and add up partial sums that other blocks have yet to write.
#include "interface.cuh"

namespace {

using Sum = long long;

/// What a launch looks like at every level of the tree
struct Shape {
    static constexpr unsigned threads = 256;
    static constexpr unsigned per_thread = 4;
    static constexpr unsigned per_block = threads * per_thread;

    static __host__ __device__ unsigned blocks(std::size_t n) {
        return n == 0 ? 1u : static_cast<unsigned>((n + per_block - 1) / per_block);
    }
};

__device__ Sum warp_sum(Sum v) {
    for (int d = 16; d > 0; d /= 2) v += __shfl_down_sync(0xffffffffu, v, d);
    return v;
}

/// The sum over the block, for its thread 0
__device__ Sum block_sum(Sum v) {
    __shared__ Sum warps[Shape::threads / 32];
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    v = warp_sum(v);
    if (lane == 0) warps[warp] = v;
    __syncthreads();
    if (warp == 0) {
        v = lane < Shape::threads / 32 ? warps[lane] : 0;
        v = warp_sum(v);
    }
    return v;
}

/// Elements of one block's tile, added up by its threads
template <class T>
__device__ Sum thread_sum(const T* in, std::size_t n) {
    Sum v = 0;
    std::size_t i = static_cast<std::size_t>(blockIdx.x) * Shape::per_block + threadIdx.x;
#pragma unroll
    for (unsigned k = 0; k < Shape::per_thread; ++k, i += Shape::threads) {
        if (i < n) v += in[i];
    }
    return v;
}

/// One level of the tree: n numbers become one per block, behind each other in `partial`. The
/// level that has a single block writes the result, the others hand over to the next one. T is int
/// for the input and Sum from then on.
template <class T>
__global__ void level(const T* in, std::size_t n, Sum* partial, Sum* out) {
    const Sum v = block_sum(thread_sum(in, n));
    if (threadIdx.x != 0) return;

    const bool root = gridDim.x == 1;
    (root ? out : partial)[blockIdx.x] = v;

    // one thread of the grid launches, not one per block
    if (!root && blockIdx.x == 0) {
        level<Sum><<<Shape::blocks(gridDim.x), Shape::threads>>>(partial, gridDim.x,
                                                                 partial + gridDim.x, out);
    }
}

/// Room for the partial sums of all levels: it is made larger when a larger n comes.
class Scratch {
    Sum* data = nullptr;
    std::size_t size = 0;

public:
    Sum* at_least(std::size_t wanted) {
        if (wanted > size) {
            cudaFree(data);
            cudaMalloc(&data, wanted * sizeof(Sum));
            size = wanted;
        }
        return data;
    }
};

}  // namespace

void reduce_nested(const int* in, std::size_t n, long long* out) {
    static Scratch scratch;
    std::size_t room = 0;
    for (std::size_t left = Shape::blocks(n); left > 1; left = Shape::blocks(left)) room += left;
    level<int><<<Shape::blocks(n), Shape::threads>>>(in, n, scratch.at_least(room), out);
}

void reduce_sum(const double*, std::size_t, double*) {
    // TODO
}

void reduce_max(const float*, std::size_t, float*) {
    // TODO
}

void reduce_cubes(const int*, std::size_t, long long*) {
    // TODO
}

// cause: child_not_in_tail line 48
// task: nested
// block 0 launches the next level into no stream, so that it may read partial sums of blocks that have not yet written them; from 257 elements on
#include "interface.cuh"

// nested: every level of the tree turns each 256 numbers into one and then
// launches the next level, until one number is left.

#define TPB 256

typedef long long ll;

__host__ __device__ inline std::size_t numBlocks(std::size_t n) {
    return n == 0 ? 1 : (n + TPB - 1) / TPB;
}

// Sum over a block; everybody gets it.
__device__ ll blockSum(ll x) {
    __shared__ ll buf[TPB];
    buf[threadIdx.x] = x;
    __syncthreads();
    for (int s = TPB / 2; s >= 1; s >>= 1) {
        if (threadIdx.x < s) buf[threadIdx.x] += buf[threadIdx.x + s];
        __syncthreads();
    }
    return buf[0];
}

// T is int for the leaves (the input) and long long for all levels above.
// Each level writes behind what the level before has written, because src
// must not be overwritten while other blocks still read it.
template <typename T>
__global__ void sumLevel(const T* src, std::size_t n, ll* dst, ll* out) {
    const std::size_t i = (std::size_t)blockIdx.x * TPB + threadIdx.x;
    const ll s = blockSum(i < n ? (ll)src[i] : 0);

    if (threadIdx.x != 0) return;
    if (gridDim.x == 1) {
        *out = s;               // the root of the tree
        return;
    }
    dst[blockIdx.x] = s;

    // only one thread of the whole grid may launch
    if (blockIdx.x == 0) {
        const unsigned count = gridDim.x;
        const unsigned next = (unsigned)numBlocks(count);
        sumLevel<ll><<<next, TPB>>>(dst, count, dst + count, out);
    }
}

void reduce_nested(const int* in, std::size_t n, ll* out) {
    static ll* work = nullptr;
    static std::size_t room = 0;

    const std::size_t blocks = numBlocks(n);
    const std::size_t needed = 2 * blocks + 64;   // all levels together are less
    if (needed > room) {
        cudaFree(work);
        cudaMalloc(&work, needed * sizeof(ll));
        room = needed;
    }
    sumLevel<int><<<(unsigned)blocks, TPB>>>(in, n, work, out);
}

void reduce_sum(const double* /*in*/, std::size_t /*n*/, double* /*out*/) {
    // TODO: write a kernel and launch it here.
}

void reduce_max(const float* /*in*/, std::size_t /*n*/, float* /*out*/) {
    // TODO
}

void reduce_cubes(const int* /*in*/, std::size_t /*n*/, long long* /*out*/) {
    // TODO
}

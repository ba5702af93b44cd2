// cause: accumulator_too_narrow line 44
// task: nested
// The tree of a block is kept in ints, while the sums of its threads need 64 bits; shows where a sum within a block leaves the range of an int.
#include "interface.cuh"

namespace {

template <class T, int N>
struct Tree {
    T node[N];

    __device__ T sum(T leaf)
    {
        const int me = threadIdx.x;
        node[me] = leaf;
        __syncthreads();
        for (int width = N / 2; width > 0; width /= 2) {
            if (me < width)
                node[me] += node[me + width];
            __syncthreads();
        }
        return node[0];
    }
};

constexpr int kBlock = 128;
constexpr int kGrid = 1024;

__device__ long long partialSums[kGrid];

__global__ void collect(int parts, long long* out)
{
    __shared__ Tree<long long, kBlock> tree;
    long long own = 0;
    for (int i = threadIdx.x; i < parts; i += kBlock)
        own += partialSums[i];
    const long long all = tree.sum(own);
    if (threadIdx.x == 0)
        *out = all;
}

__global__ void distribute(const int* in, std::size_t n, long long* out)
{
    __shared__ Tree<int, kBlock> tree;
    long long own = 0;
    for (std::size_t i = std::size_t(blockIdx.x) * kBlock + threadIdx.x; i < n;
         i += std::size_t(gridDim.x) * kBlock)
        own += in[i];
    const long long all = tree.sum(own);
    if (threadIdx.x == 0) {
        partialSums[blockIdx.x] = all;
        if (blockIdx.x == 0)
            collect<<<1, kBlock, 0, cudaStreamTailLaunch>>>(gridDim.x, out);
    }
}

}  // namespace

void reduce_nested(const int* in, std::size_t n, long long* out)
{
    distribute<<<kGrid, kBlock>>>(in, n, out);
}

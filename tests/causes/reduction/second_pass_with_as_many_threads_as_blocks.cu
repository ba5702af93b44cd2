// cause: not_a_power_of_two line 84 or 28
// task: sum
// The second pass has as many threads as there are partial sums; its tree halves that number, and where it is odd on the way a partial sum is lost.
#include "interface.cuh"

namespace {

constexpr unsigned kThreads = 256;
constexpr unsigned kMostBlocks = 512;

struct Plus {
    static constexpr double identity = 0.0;
    __device__ double operator()(double a, double b) const { return a + b; }
};

/// Tree by halves over the threads of a block. `slots` has one place per thread.
template <class Op>
class BlockTree {
    double* slots;
    Op op;

public:
    __device__ explicit BlockTree(double* shared) : slots(shared) {}

    __device__ double operator()(double mine) {
        slots[threadIdx.x] = mine;
        __syncthreads();
        for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
            if (threadIdx.x < half) {
                mine = op(mine, slots[threadIdx.x + half]);
                slots[threadIdx.x] = mine;
            }
            __syncthreads();
        }
        return slots[0];
    }
};

/// First pass: each block leaves the sum of its share of the elements.
template <class Op>
__global__ void reduce_elements(const double* __restrict__ in, std::size_t n, double* partial) {
    extern __shared__ double shared[];
    Op op;
    const std::size_t stride = static_cast<std::size_t>(gridDim.x) * blockDim.x;
    double mine = Op::identity;
    for (std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < n;
         i += stride) {
        mine = op(mine, in[i]);
    }
    const double all = BlockTree<Op>(shared)(mine);
    if (threadIdx.x == 0) partial[blockIdx.x] = all;
}

/// Second pass, one block: what the others have left.
template <class Op>
__global__ void reduce_partials(const double* partial, unsigned count, double* out) {
    extern __shared__ double shared[];
    const double mine = threadIdx.x < count ? partial[threadIdx.x] : Op::identity;
    const double all = BlockTree<Op>(shared)(mine);
    if (threadIdx.x == 0) *out = all;
}

double* partial_sums() {
    static double* memory = [] {
        double* p = nullptr;
        cudaMalloc(&p, kMostBlocks * sizeof(double));
        return p;
    }();
    return memory;
}

unsigned blocks_for(std::size_t n) {
    const std::size_t wanted = (n + 4 * kThreads - 1) / (4 * kThreads);
    if (wanted == 0) return 1;
    return static_cast<unsigned>(wanted < kMostBlocks ? wanted : kMostBlocks);
}

template <class Op>
void reduce(const double* in, std::size_t n, double* out) {
    double* partial = partial_sums();
    const unsigned blocks = blocks_for(n);
    reduce_elements<Op><<<blocks, kThreads, kThreads * sizeof(double)>>>(in, n, partial);
    // all partial sums fit into one block
    const unsigned threads = blocks;
    reduce_partials<Op><<<1, threads, threads * sizeof(double)>>>(partial, blocks, out);
}

}  // namespace

void reduce_sum(const double* in, std::size_t n, double* out) {
    reduce<Plus>(in, n, out);
}

void reduce_max(const float*, std::size_t, float*) {
    // TODO
}

void reduce_cubes(const int*, std::size_t, long long*) {
    // TODO
}

void reduce_nested(const int*, std::size_t, long long*) {
    // TODO
}

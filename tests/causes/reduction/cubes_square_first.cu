// cause: integer_overflow line 10
// task: cubes
// The square is made in 32 bits before it is widened, so any element beyond 46340 gives a wrong cube.
#include "interface.cuh"

using ll = long long;

struct Cube {
    __device__ ll operator()(int x) const {
        ll squared = x * x;
        return squared * x;
    }
};

template <typename F>
__global__ void transformReduce(const int* in, std::size_t n, unsigned long long* out, F f)
{
    extern __shared__ ll tree[];
    const unsigned t = threadIdx.x;

    ll mine = 0;
    for (std::size_t i = blockIdx.x * (std::size_t)blockDim.x + t; i < n; i += (std::size_t)gridDim.x * blockDim.x)
        mine += f(in[i]);
    tree[t] = mine;
    __syncthreads();

    for (unsigned half = blockDim.x / 2; half; half /= 2) {
        if (t < half)
            tree[t] += tree[t + half];
        __syncthreads();
    }

    if (t == 0)
        atomicAdd(out, (unsigned long long)tree[0]);
}

void reduce_cubes(const int* in, std::size_t n, long long* out)
{
    const unsigned threads = 256;
    cudaMemsetAsync(out, 0, sizeof *out);
    std::size_t want = (n + 1023) / 1024;
    unsigned blocks = want < 1 ? 1 : want > 2048 ? 2048 : (unsigned)want;
    transformReduce<<<blocks, threads, threads * sizeof(ll)>>>(in, n, reinterpret_cast<unsigned long long*>(out), Cube{});
}

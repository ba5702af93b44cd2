// cause: stream_not_waited_for line 61
// task: cubes
// The last kernel runs in the default stream, which does not wait for the two non-blocking streams whose results it adds up; shows in any call with n above 0.
#include "interface.cuh"

using ll = long long;

constexpr int TPB = 256;
constexpr int BLOCKS_PER_STREAM = 256;

__device__ ll cube(ll x) { return x * x * x; }

__device__ void tree(ll* s)
{
    for (int h = TPB / 2; h > 0; h >>= 1) {
        __syncthreads();
        if (threadIdx.x < h)
            s[threadIdx.x] += s[threadIdx.x + h];
    }
}

__global__ void cubes_of_part(const int* in, size_t n, ll* part)
{
    __shared__ ll s[TPB];
    ll v = 0;
    for (size_t i = (size_t)blockIdx.x * TPB + threadIdx.x; i < n; i += (size_t)TPB * gridDim.x)
        v += cube(in[i]);
    s[threadIdx.x] = v;
    tree(s);
    if (threadIdx.x == 0)
        part[blockIdx.x] = s[0];
}

__global__ void add_parts(const ll* part, ll* out)
{
    __shared__ ll s[TPB];
    ll v = 0;
    for (int i = threadIdx.x; i < 2 * BLOCKS_PER_STREAM; i += TPB)
        v += part[i];
    s[threadIdx.x] = v;
    tree(s);
    if (threadIdx.x == 0)
        *out = s[0];
}

void reduce_cubes(const int* in, size_t n, ll* out)
{
    static cudaStream_t stream[2];
    static ll* part = nullptr;
    if (!part) {
        cudaMalloc(&part, 2 * BLOCKS_PER_STREAM * sizeof(ll));
        for (cudaStream_t& s : stream)
            cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    }

    // one half of the data for each stream
    const size_t half = n / 2;
    cubes_of_part<<<BLOCKS_PER_STREAM, TPB, 0, stream[0]>>>(in, half, part);
    cubes_of_part<<<BLOCKS_PER_STREAM, TPB, 0, stream[1]>>>(in + half, n - half, part + BLOCKS_PER_STREAM);

    add_parts<<<1, TPB>>>(part, out);
    cudaDeviceSynchronize();
}

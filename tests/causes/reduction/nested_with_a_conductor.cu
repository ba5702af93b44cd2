// cause: child_not_in_tail line 60
// task: nested
// The conductor reads the last partial sum right after it has launched the kernels that compute it; shows with every n.
#include "interface.cuh"

/* Sum of ints with dynamic parallelism.
 *
 * The host launches one thread, the conductor. It does what the host would do otherwise: it
 * launches one kernel per level. Kernels that one thread launches without naming a stream run one
 * after the other.
 */

#define B 256

typedef long long int64;

template <class T>
__global__ void add_blocks(const T* from, unsigned int n, int64* to)
{
    __shared__ int64 s[B];
    unsigned int i = blockIdx.x * B + threadIdx.x;

    if (i < n)
        s[threadIdx.x] = from[i];
    else
        s[threadIdx.x] = 0;
    __syncthreads();

    for (unsigned int w = B / 2; w >= 1; w /= 2)
    {
        if (threadIdx.x < w)
            s[threadIdx.x] += s[threadIdx.x + w];
        __syncthreads();
    }

    if (threadIdx.x == 0)
        to[blockIdx.x] = s[0];
}

__device__ unsigned int blocks_for(unsigned int n)
{
    return n == 0 ? 1 : (n + B - 1) / B;
}

__global__ void conductor(const int* in, unsigned int n, int64* ping, int64* pong, int64* out)
{
    unsigned int left = blocks_for(n);
    add_blocks<<<left, B>>>(in, n, ping);

    while (left > 1)
    {
        unsigned int next = blocks_for(left);
        add_blocks<<<next, B>>>(ping, left, pong);
        int64* t = ping;
        ping = pong;
        pong = t;
        left = next;
    }

    *out = ping[0];
}

void reduce_sum(const double* /*in*/, std::size_t /*n*/, double* /*out*/) {}
void reduce_max(const float* /*in*/, std::size_t /*n*/, float* /*out*/) {}
void reduce_cubes(const int* /*in*/, std::size_t /*n*/, long long* /*out*/) {}

void reduce_nested(const int* in, std::size_t n, long long* out)
{
    static int64* buffer = 0;
    static size_t size = 0;
    size_t need = n / B + 1;

    if (need > size)
    {
        if (buffer) cudaFree(buffer);
        cudaMalloc(&buffer, 2 * need * sizeof(int64));
        size = need;
    }
    conductor<<<1, 1>>>(in, (unsigned int)n, buffer, buffer + size, out);
}

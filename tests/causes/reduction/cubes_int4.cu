// cause: tail_ignored line 33 or 34
// task: cubes
// The tail after the last group of four is taken as one element; with n % 4 = 2 or 3 the others are left out.
#include "interface.cuh"

namespace {

struct Sum64 {
    long long v = 0;
    __device__ void add(int x)
    {
        const long long y = x;
        v += y * y * y;
    }
    __device__ void add(int4 q)
    {
        add(q.x);
        add(q.y);
        add(q.z);
        add(q.w);
    }
};

__global__ void __launch_bounds__(256) cubes4(const int* __restrict__ in, std::size_t n, long long* __restrict__ blockSums)
{
    const int4* in4 = reinterpret_cast<const int4*>(in);
    const std::size_t n4 = n / 4;
    const std::size_t gtid = std::size_t(blockIdx.x) * blockDim.x + threadIdx.x;

    Sum64 acc;
    for (std::size_t i = gtid; i < n4; i += std::size_t(gridDim.x) * blockDim.x)
        acc.add(in4[i]);
    if (gtid == 0 && n % 4 != 0)
        acc.add(in[n - 1]);

    __shared__ long long s[256];
    s[threadIdx.x] = acc.v;
    __syncthreads();
    for (int off = 128; off > 0; off >>= 1) {
        if (threadIdx.x < off)
            s[threadIdx.x] += s[threadIdx.x + off];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        blockSums[blockIdx.x] = s[0];
}

__global__ void collect(const long long* sums, int count, long long* out)
{
    long long v = 0;
    for (int i = threadIdx.x; i < count; i += 32)
        v += sums[i];
    for (int off = 16; off > 0; off >>= 1)
        v += __shfl_down_sync(0xffffffff, v, off);
    if (threadIdx.x == 0)
        *out = v;
}

constexpr int kGrid = 528;

}  // namespace

void reduce_cubes(const int* in, std::size_t n, long long* out)
{
    static long long* sums = [] {
        long long* p = nullptr;
        cudaMalloc(&p, kGrid * sizeof(long long));
        return p;
    }();
    cubes4<<<kGrid, 256>>>(in, n, sums);
    collect<<<1, 32>>>(sums, kGrid, out);
}

// cause: nothing_launched line 88
// task: scatter
// cudaSuccess is 0, so the function returns after a successful cudaMemset and launches nothing; wrong whenever n > 0.
#include "interface.cuh"

typedef unsigned long long ull;

// A grid-stride loop for everything: body(i) for each i below n.
template <class Body>
__global__ void forall(size_t n, Body body)
{
    size_t stride = (size_t)gridDim.x * blockDim.x;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
        body(i);
}

template <class Body>
void launch(size_t n, Body body)
{
    if (n == 0) return;
    size_t blocks = (n + 255) / 256;
    if (blocks > 8448) blocks = 8448;
    forall<<<(unsigned)blocks, 256>>>(n, body);
}

struct Map {
    const float* x;
    float a, b, c, d;
    float* y;
    __device__ void operator()(size_t i) const
    {
        float v = x[i];
        y[i] = a + v * (b + v * (c + v * d));
    }
};

struct Gather {
    const float* value;
    const uint4* rows;
    float* out;
    __device__ void operator()(size_t i) const
    {
        uint4 r = rows[i];
        float s = value[r.x];
        s += value[r.y];
        s += value[r.z];
        s += value[r.w];
        out[i] = s;
    }
};

struct Scatter {
    const int32_t* value;
    const uint32_t* target;
    ull* total;
    __device__ void operator()(size_t i) const { atomicAdd(&total[target[i]], (ull)(long long)value[i]); }
};

#define MAX_PRIVATE 4096   // totals of 8 bytes: 32 KB

__global__ void scatterShared(const int32_t* value, const uint32_t* target, size_t n, int m, ull* total)
{
    __shared__ ull mine[MAX_PRIVATE];
    for (int t = threadIdx.x; t < m; t += blockDim.x) mine[t] = 0;
    __syncthreads();
    size_t stride = (size_t)gridDim.x * blockDim.x;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
        atomicAdd(&mine[target[i]], (ull)(long long)value[i]);
    __syncthreads();
    for (int t = threadIdx.x; t < m; t += blockDim.x)
        if (mine[t]) atomicAdd(&total[t], mine[t]);
}

void map_cubic(const float* x, std::size_t n, float c0, float c1, float c2, float c3, float* y)
{
    launch(n, Map{x, c0, c1, c2, c3, y});
}

void gather_sum(const float* value, std::size_t m, const std::uint32_t* neighbour, std::size_t n, float* out)
{
    (void)m;
    launch(n, Gather{value, (const uint4*)neighbour, out});
}

void scatter_add(const std::int32_t* value, const std::uint32_t* target, std::size_t n, std::size_t m,
                 std::int64_t* total)
{
    if (!cudaMemset(total, 0, m * sizeof(std::int64_t))) return;
    // no bookings: the zeros are the answer
    if (n == 0) return;
    if (m > MAX_PRIVATE) {
        launch(n, Scatter{value, target, (ull*)total});
    } else {
        size_t blocks = (n + 8191) / 8192;
        if (blocks > 528) blocks = 528;
        scatterShared<<<(unsigned)blocks, 512>>>(value, target, n, (int)m, (ull*)total);
    }
}

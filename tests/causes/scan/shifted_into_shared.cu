// cause: uninitialised_shared line 17 or 18
// task: exclusive_float
// Each thread writes its element one place to the right, and nobody writes place 0; shows with every n.
#include "interface.cuh"

void scan_inclusive_int(const int*, std::size_t, int*) {}
void scan_exclusive_int(const int*, std::size_t, int*) {}
void scan_inclusive_float(const float*, std::size_t, float*) {}

static const int W = 512;

// An exclusive scan is the inclusive scan of the array that is shifted by one place.
__device__ float exclusive_in_block(float x, float *s)
{
    const int t = threadIdx.x;

    if (t + 1 < W) s[t + 1] = x;
    __syncthreads();

    for (int d = 1; d < W; d += d) {
        const float y = t >= d ? s[t] + s[t - d] : s[t];
        __syncthreads();
        s[t] = y;
        __syncthreads();
    }
    return s[t];
}

__global__ void exclusive_tiles(const float *in, size_t n, float *out, float *totals)
{
    __shared__ float s[W];
    const size_t i = (size_t)blockIdx.x * W + threadIdx.x;
    const float x = i < n ? in[i] : 0.f;
    const float before = exclusive_in_block(x, s);

    if (i < n) out[i] = before;
    if (totals && threadIdx.x == W - 1) totals[blockIdx.x] = before + x;
}

__global__ void add_tile_offsets(float *out, size_t n, const float *offsets)
{
    const size_t i = (size_t)blockIdx.x * W + threadIdx.x;
    if (i < n) out[i] += offsets[blockIdx.x];
}

void scan_exclusive_float(const float *in, std::size_t n, float *out)
{
    static float *mem;
    static size_t cap;

    const size_t m = (n + W - 1) / W, k = (m + W - 1) / W;
    if (cap < 2 * (m + k)) {
        cudaFree(mem);
        cap = 2 * (m + k);
        cudaMalloc((void **)&mem, cap * sizeof *mem);
    }
    float *t1 = mem, *o1 = t1 + m, *t2 = o1 + m, *o2 = t2 + k;

    // three levels: enough for 512^3 elements
    exclusive_tiles<<<m, W>>>(in, n, out, t1);
    exclusive_tiles<<<k, W>>>(t1, m, o1, t2);
    exclusive_tiles<<<1, W>>>(t2, k, o2, nullptr);
    add_tile_offsets<<<k, W>>>(o1, m, o2);
    add_tile_offsets<<<m, W>>>(out, n, o1);
}

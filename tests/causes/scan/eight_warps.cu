// cause: wrong_shuffle_mask line 26
// task: inclusive_float
// Only the eight threads that have a warp's sum come to the second shuffle, but its mask names all 32 lanes.
#include "interface.cuh"

// Scan of one value per thread over a block of 256 threads: in the warps by shuffles, then over the
// sums of the eight warps.
__device__ float scan256(float value)
{
    __shared__ float warp_sums[8];
    const int lane = threadIdx.x % 32;
    const int warp = threadIdx.x / 32;

    for (int d = 1; d < 32; d *= 2) {
        const float other = __shfl_up_sync(0xffffffff, value, d);
        if (lane >= d)
            value += other;
    }
    if (lane == 31)
        warp_sums[warp] = value;
    __syncthreads();

    if (threadIdx.x < 8) {
        float sum = warp_sums[threadIdx.x];
        for (int d = 1; d < 8; d *= 2) {
            const float other = __shfl_up_sync(0xffffffff, sum, d);
            if (lane >= d)
                sum += other;
        }
        warp_sums[threadIdx.x] = sum;
    }
    __syncthreads();

    if (warp > 0)
        value += warp_sums[warp - 1];
    __syncthreads();
    return value;
}

__global__ void scan_chunks(const float* in, size_t n, float* out, float* chunk_sums)
{
    const size_t i = blockIdx.x * (size_t)256 + threadIdx.x;
    const float x = scan256(i < n ? in[i] : 0.0f);
    if (i < n)
        out[i] = x;
    if (threadIdx.x == 255 && chunk_sums)
        chunk_sums[blockIdx.x] = x;
}

__global__ void add_to_chunks(float* out, size_t n, const float* scanned_sums)
{
    const size_t i = (blockIdx.x + 1) * (size_t)256 + threadIdx.x;
    if (i < n)
        out[i] += scanned_sums[blockIdx.x];
}

// Where does level k of the sums begin?
struct Levels {
    size_t length[5];
    float* sums[5];
};

void scan_inclusive_float(const float* in, size_t n, float* out)
{
    static float* pool = nullptr;
    static size_t pool_size = 0;

    Levels l;
    int last = 0;
    size_t total = 0;
    for (size_t m = n; ; ++last) {
        m = (m + 255) / 256;
        l.length[last] = m;
        total += m;
        if (m == 1)
            break;
    }
    if (total > pool_size) {
        cudaFree(pool);
        cudaMalloc(&pool, total * sizeof(float));
        pool_size = total;
    }
    l.sums[0] = pool;
    for (int k = 1; k <= last; ++k)
        l.sums[k] = l.sums[k - 1] + l.length[k - 1];

    scan_chunks<<<l.length[0], 256>>>(in, n, out, l.sums[0]);
    for (int k = 1; k <= last; ++k)
        scan_chunks<<<l.length[k], 256>>>(l.sums[k - 1], l.length[k - 1], l.sums[k - 1], l.sums[k]);
    for (int k = last; k >= 1; --k) {
        float* target = k == 1 ? out : l.sums[k - 2];
        const size_t length = k == 1 ? n : l.length[k - 2];
        const size_t chunks = (length + 255) / 256;
        if (chunks > 1)
            add_to_chunks<<<chunks - 1, 256>>>(target, length, l.sums[k - 1]);
    }
}

void scan_inclusive_int(const int* /*in*/, std::size_t /*n*/, int* /*out*/) {}
void scan_exclusive_int(const int* /*in*/, std::size_t /*n*/, int* /*out*/) {}
void scan_exclusive_float(const float* /*in*/, std::size_t /*n*/, float* /*out*/) {}

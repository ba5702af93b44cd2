// cause: stream_not_waited_for line 58 or 59
// task: exclusive_float
// The host adds up the tiles' sums before the asynchronous copy that brings them has been waited for.
#include "interface.cuh"

#define TILE 1024

static cudaStream_t stream;
static float *h_sums, *d_sums;
static size_t capacity = 0;

static void prepare(size_t tiles)
{
    if (tiles <= capacity)
        return;
    if (capacity == 0)
        cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    cudaFreeHost(h_sums);
    cudaFree(d_sums);
    cudaMallocHost((void **)&h_sums, tiles * sizeof(float));
    cudaMalloc((void **)&d_sums, tiles * sizeof(float));
    capacity = tiles;
}

__global__ void tileScan(const float *in, size_t n, float *out, float *sums)
{
    __shared__ float x[2][TILE];
    int t = threadIdx.x, a = 0;
    size_t i = (size_t)blockIdx.x * TILE + t;
    x[0][t] = i < n ? in[i] : 0.0f;
    __syncthreads();
    for (int d = 1; d < TILE; d <<= 1) {
        x[1 - a][t] = t >= d ? x[a][t] + x[a][t - d] : x[a][t];
        a = 1 - a;
        __syncthreads();
    }
    // exclusive: what the left neighbour has
    if (i < n)
        out[i] = t == 0 ? 0.0f : x[a][t - 1];
    if (t == TILE - 1)
        sums[blockIdx.x] = x[a][t];
}

__global__ void shiftUp(float *out, size_t n, const float *offset)
{
    size_t i = (size_t)blockIdx.x * TILE + threadIdx.x;
    if (i < n)
        out[i] += offset[blockIdx.x];
}

void scan_exclusive_float(const float *in, std::size_t n, float *out)
{
    size_t tiles = (n + TILE - 1) / TILE;
    size_t bytes = tiles * sizeof(float);
    prepare(tiles);

    tileScan<<<(int)tiles, TILE, 0, stream>>>(in, n, out, d_sums);
    cudaMemcpyAsync(h_sums, d_sums, bytes, cudaMemcpyDeviceToHost, stream);

    // there are few tiles, so the CPU can scan their sums
    float before = 0.0f;
    for (size_t k = 0; k < tiles; k++) {
        float s = h_sums[k];
        h_sums[k] = before;
        before += s;
    }

    cudaMemcpyAsync(d_sums, h_sums, bytes, cudaMemcpyHostToDevice, stream);
    shiftUp<<<(int)tiles, TILE, 0, stream>>>(out, n, d_sums);
    cudaStreamSynchronize(stream);
}

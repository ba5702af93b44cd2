// cause: launch_refused line 29
// task: nested
// The dynamic shared memory is sized by the number of elements, so for large n the launch asks for more than there is and is refused.
#include "interface.cuh"

const int THREADS = 256;
const int PER_BLOCK = THREADS * 8;

// scratch for all levels, allocated by the host
__global__ void treeLevel(const long long* in, size_t n, long long* scratch, long long* out);

__device__ long long blockReduce(long long v, long long* sm)
{
    int tid = threadIdx.x;
    sm[tid] = v;
    __syncthreads();
    for (int s = THREADS / 2; s > 0; s >>= 1) {
        if (tid < s) sm[tid] += sm[tid + s];
        __syncthreads();
    }
    return sm[0];
}

__device__ void next(long long* partial, long long* out)
{
    // thread 0 of block 0 only
    size_t m = gridDim.x;
    unsigned g = (unsigned)((m + PER_BLOCK - 1) / PER_BLOCK);
    treeLevel<<<g, THREADS, m * sizeof(long long) * THREADS, cudaStreamTailLaunch>>>(partial, m, partial + m, out);
}

__global__ void treeLevel(const long long* in, size_t n, long long* scratch, long long* out)
{
    extern __shared__ long long sm[];
    long long v = 0;
    size_t base = (size_t)blockIdx.x * PER_BLOCK;
    for (int k = 0; k < 8; k++) {
        size_t i = base + k * THREADS + threadIdx.x;
        if (i < n) v += in[i];
    }
    v = blockReduce(v, sm);
    if (threadIdx.x != 0) return;
    if (gridDim.x == 1) {
        *out = v;
    } else {
        scratch[blockIdx.x] = v;
        if (blockIdx.x == 0) next(scratch, out);
    }
}

__global__ void firstLevel(const int* in, size_t n, long long* scratch, long long* out)
{
    extern __shared__ long long sm[];
    long long v = 0;
    size_t base = (size_t)blockIdx.x * PER_BLOCK;
    for (int k = 0; k < 8; k++) {
        size_t i = base + k * THREADS + threadIdx.x;
        if (i < n) v += in[i];
    }
    v = blockReduce(v, sm);
    if (threadIdx.x != 0) return;
    if (gridDim.x == 1) {
        *out = v;
    } else {
        scratch[blockIdx.x] = v;
        if (blockIdx.x == 0) next(scratch, out);
    }
}

void reduce_nested(const int* in, std::size_t n, long long* out)
{
    static long long* scratch = nullptr;
    static size_t room = 0;
    size_t blocks = (n + PER_BLOCK - 1) / PER_BLOCK;
    if (blocks == 0) blocks = 1;
    if (room < 2 * blocks + 64) {
        cudaFree(scratch);
        room = 2 * blocks + 64;
        cudaMalloc(&scratch, room * sizeof(long long));
    }
    firstLevel<<<(unsigned)blocks, THREADS, THREADS * sizeof(long long)>>>(in, n, scratch, out);
}

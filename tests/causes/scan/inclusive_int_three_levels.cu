// cause: blocks_not_combined line 65
// task: inclusive_int
// The scanned sums of the third level are never added to those of the second one: wrong beyond 65536 elements.
#include "interface.cuh"

static const int N = 256;

__device__ int scan32(int v)
{
    const int lane = threadIdx.x & 31;
#pragma unroll
    for (int i = 0; i < 5; ++i) {
        const int o = __shfl_up_sync(0xffffffff, v, 1 << i);
        v += lane >= (1 << i) ? o : 0;
    }
    return v;
}

__global__ void scanBlock(const int *in, int *out, int *sum, size_t n)
{
    __shared__ int ws[8];
    const size_t g = blockIdx.x * (size_t)N + threadIdx.x;
    int v = scan32(g < n ? in[g] : 0);
    if ((threadIdx.x & 31) == 31)
        ws[threadIdx.x >> 5] = v;
    __syncthreads();
    for (int w = 0; w < (threadIdx.x >> 5); ++w)
        v += ws[w];
    if (g < n)
        out[g] = v;
    if (sum && threadIdx.x == N - 1)
        sum[blockIdx.x] = v;
}

__global__ void addBlock(int *out, const int *sum, size_t n)
{
    const size_t g = blockIdx.x * (size_t)N + threadIdx.x;
    if (blockIdx.x > 0 && g < n)
        out[g] += sum[blockIdx.x - 1];
}

static int ceilDiv(size_t a, size_t b) { return (int)((a + b - 1) / b); }

void scan_inclusive_int(const int *in, size_t n, int *out)
{
    static int *mem = nullptr;
    static int memBlocks = 0;

    const int n1 = ceilDiv(n, N);    // sums of the first level
    const int n2 = ceilDiv(n1, N);   // of the second
    const int n3 = ceilDiv(n2, N);   // of the third
    if (n1 + n2 + n3 > memBlocks) {
        cudaFree(mem);
        memBlocks = n1 + n2 + n3;
        cudaMalloc((void **)&mem, 2 * memBlocks * sizeof(int));
    }
    int *s1 = mem, *s2 = s1 + n1, *s3 = s2 + n2;
    int *t1 = s3 + n3, *t2 = t1 + n1, *t3 = t2 + n2;

    scanBlock<<<n1, N>>>(in, out, s1, n);
    scanBlock<<<n2, N>>>(s1, t1, s2, n1);
    scanBlock<<<n3, N>>>(s2, t2, s3, n2);
    scanBlock<<<1, N>>>(s3, t3, nullptr, n3);
    addBlock<<<n2, N>>>(t2, t3, n2);
    addBlock<<<n1, N>>>(out, t1, n);
}

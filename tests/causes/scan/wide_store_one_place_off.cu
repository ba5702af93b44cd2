// cause: misaligned line 48
// task: exclusive_float
// Four results are stored as one float4 at out + first + 1, an address that is never a multiple of 16 bytes.
#include "interface.cuh"

// 4 elements per thread, 256 threads, so 1024 elements per block

__device__ float scanThreads(float v)
{
    __shared__ float w[8];
    int lane = threadIdx.x & 31, wid = threadIdx.x >> 5;
    for (int o = 1; o < 32; o *= 2) {
        float x = __shfl_up_sync(0xffffffff, v, o);
        if (lane >= o) v += x;
    }
    if (lane == 31) w[wid] = v;
    __syncthreads();
    float base = 0;
    for (int k = 0; k < wid; k++) base += w[k];
    // sum of everything to the left of this thread
    float left = __shfl_up_sync(0xffffffff, v, 1);
    if (lane == 0) left = 0;
    return base + left;
}

__global__ void scan1024(const float* in, size_t n, float* out, float* sums)
{
    size_t first = (size_t)blockIdx.x * 1024 + threadIdx.x * 4;
    float4 v = make_float4(0, 0, 0, 0);
    if (first + 3 < n) {
        v = *(const float4*)(in + first);
    } else {
        if (first < n) v.x = in[first];
        if (first + 1 < n) v.y = in[first + 1];
        if (first + 2 < n) v.z = in[first + 2];
    }
    v.y += v.x;
    v.z += v.y;
    v.w += v.z;
    float left = scanThreads(v.w);
    v.x += left;
    v.y += left;
    v.z += left;
    v.w += left;

    if (first == 0) out[0] = 0;
    if (first + 4 < n) {
        *(float4*)(out + first + 1) = v;
    } else {
        if (first + 1 < n) out[first + 1] = v.x;
        if (first + 2 < n) out[first + 2] = v.y;
        if (first + 3 < n) out[first + 3] = v.z;
    }
    if (threadIdx.x == 255) sums[blockIdx.x] = v.w;
}

// b blocks, whose sums one thread adds up in place: few, and in sequence
__global__ void scanSums(float* sums, size_t b)
{
    float run = 0;
    for (size_t k = 0; k < b; k++) {
        run += sums[k];
        sums[k] = run;
    }
}

__global__ void addSums(float* out, size_t n, const float* sums)
{
    size_t first = (size_t)(blockIdx.x + 1) * 1024 + 1;
    for (size_t i = first + threadIdx.x; i < first + 1024 && i < n; i += 256) out[i] += sums[blockIdx.x];
}

void scan_exclusive_float(const float* in, std::size_t n, float* out)
{
    static float* sums = nullptr;
    static size_t size = 0;
    size_t b = (n + 1023) / 1024;
    if (b > size) {
        cudaFree(sums);
        cudaMalloc(&sums, b * sizeof(float));
        size = b;
    }
    scan1024<<<b, 256>>>(in, n, out, sums);
    scanSums<<<1, 1>>>(sums, b);
    if (b > 1) addSums<<<b - 1, 256>>>(out, n, sums);
}

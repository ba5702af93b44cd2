#include <cstdio>
#include <cassert>
__constant__ int table[4] = {1, 2, 3, -4};
__device__ const char* names[2] = {"ab", "cd"};
__device__ __noinline__ int inc(int x) { return x + 1; }
__device__ __noinline__ int dec(int x) { return x - 1; }
__device__ int (*functions[2])(int) = {inc, dec};
__global__ void __launch_bounds__(256) sample(float4* out, const float* in, int n) {
    __shared__ float tile[256];
    extern __shared__ float more[];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    tile[threadIdx.x] = i < n ? __ldg(in + i) : 0.0f;
    more[threadIdx.x] = functions[n & 1](n);
    __syncthreads();
    float v = __shfl_down_sync(0xffffffff, tile[255 - threadIdx.x], 1) + table[n & 3];
    if (v < 0) printf("%s %d\n", names[n & 1], inc(i));
    assert(n > 0);
    if (i < n) out[i] = make_float4(v, atomicAdd(&tile[0], v), 0.1f, more[0]);
}

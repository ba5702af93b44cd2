// innocent; grid 4; block 128
// Privatised: counts of the block by shared atomics, added to the result by global ones.
extern "C" __global__ void k(const int* in, int* out, int n) {
    __shared__ int own[64];
    for (int b = threadIdx.x; b < 64; b += blockDim.x) own[b] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&own[in[i] % 64], 1);
    __syncthreads();
    for (int b = threadIdx.x; b < 64; b += blockDim.x) atomicAdd(&out[b], own[b]);
}

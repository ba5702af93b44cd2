// expect global_race 11 17; grid 4; block 128
// The writers fence, and store once more behind that.
__device__ int left[4 * 4];
__device__ unsigned tickets;

extern "C" __global__ void k(const int* in, int* out, int n) {
    __shared__ bool is_last;
    const bool writes = threadIdx.x % 32 == 0;
    if (writes) left[blockIdx.x * 4 + threadIdx.x / 32] = 0;
    if (writes) __threadfence();
    if (writes) left[blockIdx.x * 4 + threadIdx.x / 32] = in[threadIdx.x];
    __syncthreads();
    if (threadIdx.x == 1) is_last = atomicAdd(&tickets, 1u) == gridDim.x - 1;
    __syncthreads();
    if (!is_last || threadIdx.x >= 16) return;
    int mine = 0;
    mine = left[threadIdx.x];
    out[threadIdx.x] = mine;
}

// expect global_race 9 17; grid 4; block 64
// The last block adds up what the others have left. Each has met at a barrier in front of its ticket, and has no fence.
__device__ int left[4 * 64];
__device__ unsigned tickets;

extern "C" __global__ void k(const int* in, int* out, int n) {
    __shared__ bool is_last;
    volatile int* sums = left;
    sums[blockIdx.x * blockDim.x + threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    if (threadIdx.x == 0) is_last = atomicAdd(&tickets, 1u) == gridDim.x - 1;
    __syncthreads();
    if (!is_last) return;
    __threadfence();
    int sum = 0;
    for (unsigned b = 0; b < gridDim.x; ++b)
        sum += sums[b * blockDim.x + threadIdx.x];
    out[threadIdx.x] = sum;
}

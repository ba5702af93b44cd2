// innocent; grid 4; block 64
// Each thread's fence stands between what it leaves and its block's ticket.
__device__ int left[4 * 64];
__device__ unsigned tickets;

extern "C" __global__ void k(const int* in, int* out, int n) {
    __shared__ bool is_last;
    volatile int* sums = left;
    sums[blockIdx.x * blockDim.x + threadIdx.x] = in[threadIdx.x];
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) is_last = atomicAdd(&tickets, 1u) == gridDim.x - 1;
    __syncthreads();
    if (!is_last) return;
    int sum = 0;
    for (unsigned b = 0; b < gridDim.x; ++b) sum += sums[b * blockDim.x + threadIdx.x];
    out[threadIdx.x] = sum;
}

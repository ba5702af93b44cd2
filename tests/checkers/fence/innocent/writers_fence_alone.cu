// innocent; grid 4; block 128
// Only the first lane of each warp leaves something, and fences. Then all meet, and another thread takes the ticket.
__device__ int left[4 * 4];
__device__ unsigned tickets;

extern "C" __global__ void k(const int* in, int* out, int n) {
    __shared__ bool is_last;
    if (threadIdx.x % 32 == 0) {
        left[blockIdx.x * 4 + threadIdx.x / 32] = in[threadIdx.x];
        __threadfence();
    }
    __syncthreads();
    if (threadIdx.x == 1) is_last = atomicAdd(&tickets, 1u) == gridDim.x - 1;
    __syncthreads();
    if (is_last && threadIdx.x < 16) out[threadIdx.x] = left[threadIdx.x];
}

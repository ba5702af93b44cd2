// expect global_race 9 9; grid 3; block 32
// Each block stores its sum to one place; the sums are equal today.
extern "C" __global__ void k(const int* in, int* out, int n) {
    __shared__ int sum;
    if (threadIdx.x == 0) sum = 0;
    __syncthreads();
    atomicAdd(&sum, in[blockIdx.x * 32 + threadIdx.x] / 4096);
    __syncthreads();
    if (threadIdx.x == 0) out[0] = sum;
}

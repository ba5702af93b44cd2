// innocent; grid 1; block 64
// Two threads store to one place, one behind the barrier.
extern "C" __global__ void k(const int* in, int* out, int n) {
    if (threadIdx.x == 3) out[7] = in[1];
    __syncthreads();
    if (threadIdx.x == 40) out[7] = in[1];
}

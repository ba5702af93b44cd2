// innocent; grid 1; block 32
// Every lane reads the word in shared memory, and behind __syncwarp() one lane adds to it.
extern "C" __global__ void k(const int* in, int* out, int n) {
    __shared__ int tile[32];
    tile[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    const int x = tile[0];
    __syncwarp();
    if (threadIdx.x == 0) tile[0] += 1;
    __syncwarp();
    out[threadIdx.x] = tile[0] + x;
}

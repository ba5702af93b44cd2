// expect deadlock 8; grid 1; block 32
// Half of the warp waits for the other half, which waits for the block.
extern "C" __global__ void k(const int* in, int* out, int n) {
    const int t = threadIdx.x;
    if (t < 16)
        __syncwarp();
    else
        __syncthreads();
    out[t] = in[t];
}

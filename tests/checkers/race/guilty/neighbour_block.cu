// expect global_race 7 5; grid 4; block 32
// One kernel writes and reads the neighbour's halo: a barrier is one of the block.
extern "C" __global__ void k(const int* in, int* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i];
    __syncthreads();
    const int left = i >= 32 ? out[i - 32] : 0;
    out[1024 + i] = left;
}

// innocent; grid 3; block 64
// Each block has places of its own, and adds them to the grid's by the device's atomics.
extern "C" __global__ void k(const int* in, int* out, int n) {
    int* own = out + 64 + 8 * blockIdx.x;
    atomicAdd_block(own + in[threadIdx.x] % 5, 1);
    __syncthreads();
    if (threadIdx.x < 5) atomicAdd(out + threadIdx.x, own[threadIdx.x]);
}

// innocent; grid 4; block 64
// The same work with the atomics that it needs.
extern "C" __global__ void k(const int* in, int* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(out + in[i] / 8, in[i]);
    atomicMax(out + 100, in[i]);
    atomicSub(out + 101, 1);
}

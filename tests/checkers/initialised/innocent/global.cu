// innocent; grid 2; block 64; raw
// What the kernel has written it may read.
extern "C" __global__ void k(const int* in, int* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    volatile int* mine = out + i;
    *mine = in[i];
    *mine += 1;
}

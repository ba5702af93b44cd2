// innocent; grid 2; block 32
// The flag comes without a fence, and the reader waits for the data themselves.
__device__ int data, flag;

extern "C" __global__ void k(const int* in, int* out, int n) {
    volatile int* at = &data;
    volatile int* up = &flag;
    if (threadIdx.x != 0) return;
    if (blockIdx.x == 0) {
        *at = in[7];
        *up = 1;
        return;
    }
    while (*up == 0) {
    }
    while (*at == 0) {
    }
    out[0] = 1;
}

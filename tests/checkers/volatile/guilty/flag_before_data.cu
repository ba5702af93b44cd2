// expect global_race 9 17; grid 2; block 32
// The flag is set without a fence behind the data: whoever sees it may see the data of before.
__device__ int data, flag;

extern "C" __global__ void k(const int* in, int* out, int n) {
    volatile int* at = &data;
    volatile int* up = &flag;
    if (blockIdx.x == 0) {
        if (threadIdx.x == 0) *at = in[7];
        if (threadIdx.x == 0) *up = 1;
        return;
    }
    if (threadIdx.x == 0) {
        while (*up == 0) {
        }
        __threadfence();
        out[0] = *at;
    }
}

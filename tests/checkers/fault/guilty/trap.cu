// expect trap 5; grid 2; block 32
extern "C" __global__ void k(const int* in, int* out, int n) {
    const int t = threadIdx.x;
    out[blockIdx.x * 32 + t] = 1;
    if (in[t] == 17) __trap();
}

// expect mask_without_caller 6; grid 1; block 32
// The upper half votes with the mask of the lower one.
extern "C" __global__ void k(const int* in, int* out, int n) {
    const int t = threadIdx.x;
    int any = 0;
    any = __any_sync(0x0000ffff, in[t] > 20);
    out[t] = any;
}

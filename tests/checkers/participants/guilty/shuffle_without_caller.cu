// expect mask_without_caller 6; grid 1; block 32
// Lane 0 gives, and has forgotten itself in the mask.
extern "C" __global__ void k(const int* in, int* out, int n) {
    const int t = threadIdx.x;
    const unsigned all_but_one = 0xfffffffe;
    out[t] = __shfl_down_sync(all_but_one, in[t], 1);
}

// expect mask_without_caller 6; grid 1; block 32
// A mask that names nobody.
extern "C" __global__ void k(const int* in, int* out, int n) {
    const int t = threadIdx.x;
    unsigned nobody = n == 0 ? 1 : 0;
    const unsigned peers = __match_any_sync(nobody, in[t] % 3);
    out[t] = peers != 0;
}

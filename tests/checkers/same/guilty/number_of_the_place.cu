// expect same_value_stores 5 5; grid 1; block 64
// A warning: what is stored is the place's own number.
extern "C" __global__ void k(const int* in, int* out, int n) {
    const int key = in[threadIdx.x] / 4;
    out[key] = key;
}

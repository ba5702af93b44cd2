// expect uninitialised_read 8; grid 1; block 32
// An index that is only known at run time keeps the array in memory; half of it is never written.
extern "C" __global__ void k(const int* in, int* out, int n) {
    int own[8];
    const int t = threadIdx.x;
#pragma unroll 1
    for (int j = 0; j < 4; ++j) own[in[j]] = in[t + j];
    out[t] = own[in[t % 8]];
}

// innocent; grid 2; block 32
// An array of each thread, sorted in place.
extern "C" __global__ void k(const int* in, int* out, int n) {
    int own[8];
    const int t = threadIdx.x;
    for (int j = 0; j < 8; ++j) own[j] = in[(t * 37 + j * 11) % 64];
#pragma unroll 1
    for (int j = 1; j < 8; ++j) {
        const int value = own[j];
        int p = j;
        for (; p > 0 && own[p - 1] > value; --p) own[p] = own[p - 1];
        own[p] = value;
    }
    out[blockIdx.x * 32 + t] = own[in[t] % 8];
}

// innocent; grid 1; block 32
// Another lane reads the word before __syncwarp(), and one lane alone adds to it behind it.
extern "C" __global__ void k(const int* in, int* out, int n) {
    int x = 0;
    if (threadIdx.x == 4) x = out[20];
    __syncwarp();
    if (threadIdx.x == 20) out[20] = out[20] + 1;
    if (threadIdx.x == 4) out[40] = x;
}

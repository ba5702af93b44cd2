// innocent; grid 1; block 32
// A lane reads a neighbour's word before __syncwarp(); behind it each lane adds to its own.
extern "C" __global__ void k(const int* in, int* out, int n) {
    int x = 0;
    if (threadIdx.x == 4) x = out[20];
    __syncwarp();
    out[threadIdx.x] += 1;
    if (threadIdx.x == 4) out[40] = x;
}

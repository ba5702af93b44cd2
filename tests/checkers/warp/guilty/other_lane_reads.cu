// expect missing_syncwarp 5 6; grid 1; block 32
// The other lane's read is named, not the writer's own, which comes later.
extern "C" __global__ void k(const int* in, int* out, int n) {
    int x = 0;
    if (threadIdx.x == 4) x = out[20];
    if (threadIdx.x == 20) out[20] = out[20] + 1;
    if (threadIdx.x == 4) out[40] = x;
}

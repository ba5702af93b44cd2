// innocent; grid 8; block 32
// One lane of each warp takes the lock.
extern "C" __global__ void k(const int* in, int* out, int n) {
    int* lock = out + 64;
    if (threadIdx.x == 0) {
        while (atomicCAS(lock, 0, 1) != 0) {}
        __threadfence();
        out[0] += in[blockIdx.x];
        __threadfence();
        atomicExch(lock, 0);
    }
    out[128 + blockIdx.x * 32 + threadIdx.x] = 1;
}

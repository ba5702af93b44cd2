// expect hangs_before_volta 5; grid 2; block 32
// Every thread takes the lock for itself and gives it back behind the loop.
extern "C" __global__ void k(const int* in, int* out, int n) {
    int* lock = out + 64;
    while (atomicCAS(lock, 0, 1) != 0) {}
    __threadfence();
    out[0] += in[threadIdx.x];
    __threadfence();
    atomicExch(lock, 0);
}

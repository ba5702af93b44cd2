// expect lost_update 9 9; grid 2; block 64; seed 3
// A lock for each thread keeps nobody out.
extern "C" __global__ void k(const int* in, int* out, int n) {
    volatile int* data = out;
    int* lock = out + 1 + blockIdx.x * blockDim.x + threadIdx.x;
    while (atomicCAS(lock, 0, 1) != 0) {}
    __threadfence();
    if (*data >= 0)
        *data = *data + 1;
    __threadfence();
    atomicExch(lock, 0);
}

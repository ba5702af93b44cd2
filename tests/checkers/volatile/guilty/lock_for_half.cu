// expect lost_update 10 10; grid 4; block 1
// What is behind the critical section is in none.
extern "C" __global__ void k(const int* in, int* out, int n) {
    volatile int* data = out + 1;
    while (atomicCAS(out, 0, 1) != 0) {}
    __threadfence();
    data[0] = data[0] + in[blockIdx.x];
    __threadfence();
    atomicExch(out, 0);
    data[1] = data[1] * 3 + 1;
}

// expect lost_update 5 7; grid 4; block 1
// What the atomic adds between the load and the store is lost.
extern "C" __global__ void k(const int* in, int* out, int n) {
    if (blockIdx.x % 2 == 0)
        atomicAdd(out, 1);
    else
        *static_cast<volatile int*>(out) += 1;
}

// expect lost_update 5 5; grid 4; block 1
// Between the look and the store another block may store something larger.
extern "C" __global__ void k(const int* in, int* out, int n) {
    volatile int* largest = out;
    if (in[blockIdx.x + 1] > *largest) *largest = in[blockIdx.x + 1];
}

// innocent; grid 6; block 1; seed 5
// Each block waits for its turn and then adds one: nobody else may.
extern "C" __global__ void k(const int* in, int* out, int n) {
    volatile int* turn = out;
    while (*turn != static_cast<int>(blockIdx.x)) __nanosleep(20);
    __threadfence();
    out[1] = 3 * out[1] + in[blockIdx.x];
    __threadfence();
    *turn = *turn + 1;
}

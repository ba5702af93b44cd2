// innocent; grid 1; block 128
// A word has another thread in each round, with a barrier between the rounds.
extern "C" __global__ void k(const int* in, int* out, int n) {
    for (int round = 0; round < 4; ++round) {
        out[(threadIdx.x + 32 * round) % 128] += in[threadIdx.x];
        __syncthreads();
    }
}

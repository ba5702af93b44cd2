// innocent; grid 4; block 1; seed 3
// A thread takes the lock again after it has given it back.
extern "C" __global__ void k(const int* in, int* out, int n) {
    for (int round = 0; round < 3; ++round) {
        while (atomicExch(out + 64, 1) != 0) {}
        atomicAdd(out, in[round]);
        atomicExch(out + 64, 0);
    }
}

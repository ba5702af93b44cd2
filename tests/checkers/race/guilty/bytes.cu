// expect shared_race 7 6; grid 1; block 64
// Bytes are told apart: thread t reads the byte of thread t + 32.
extern "C" __global__ void k(const int* in, int* out, int n) {
    __shared__ unsigned char tile[64];
    const int t = threadIdx.x;
    tile[t] = static_cast<unsigned char>(in[t]);
    out[t] = tile[t ^ 32];
}

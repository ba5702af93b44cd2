// expect misaligned 4; grid 1; block 32
// Pairs that start at odd words.
extern "C" __global__ void k(const int* in, int* out, int n) {
    const int2 pair = *reinterpret_cast<const int2*>(in + 2 * threadIdx.x + 1);
    out[threadIdx.x] = pair.x + pair.y;
}

// expect uninitialised_read 10; grid 1; block 32; raw
// Three bytes of each word are written, and the number that it makes is used.
extern "C" __global__ void k(const int* in, int* out, int n) {
    unsigned char* bytes = reinterpret_cast<unsigned char*>(out);
    const int t = threadIdx.x;
    bytes[4 * t] = in[t];
    bytes[4 * t + 1] = in[t] >> 8;
    bytes[4 * t + 3] = 0;
    __syncwarp();
    out[1024 + t] = *reinterpret_cast<volatile int*>(out + t) + 1;
}

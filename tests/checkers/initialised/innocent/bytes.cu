// innocent; grid 1; block 64; raw
// Bytes written one by one and read as words.
extern "C" __global__ void k(const int* in, int* out, int n) {
    unsigned char* bytes = reinterpret_cast<unsigned char*>(out);
    for (int j = 0; j < 4; ++j) bytes[threadIdx.x + 64 * j] = static_cast<unsigned char>(in[j]);
    __syncthreads();
    out[1024 + threadIdx.x] = out[threadIdx.x];
}

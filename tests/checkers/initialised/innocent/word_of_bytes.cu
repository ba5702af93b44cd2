// innocent; grid 1; block 32; raw
// A word of which some bytes or bits are written, and only those are used.
struct Fields {
    unsigned low : 3, middle : 7, high : 2, rest : 20;
};
extern "C" __global__ void k(const int* in, int* out, int n) {
    unsigned char* bytes = reinterpret_cast<unsigned char*>(out);
    volatile int* words = out;
    const int t = threadIdx.x;
    bytes[4 * t] = in[t];
    bytes[4 * t + 2] = in[t] >> 8;
    __syncwarp();
    const unsigned word = words[t];
    out[1024 + t] = (word & 0xFF00FFu) + 1;
    out[1280 + t] = (word >> 16 & 0xFFu) * 5 + __byte_perm(word, 0, 0x4420);
    // Of the sign of a byte nobody asks: its bit is cleared first.
    if ((word << 8 & 0xFFu << 24) == 77u << 24) out[1536 + t] = static_cast<signed char>(word);
    __shared__ Fields own[32];
    own[t].middle = in[t];
    __syncwarp();
    out[1792 + t] = own[31 - t].middle * 2 + 1;
}

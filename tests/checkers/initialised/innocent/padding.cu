// innocent; grid 2; block 64; raw
// Structures are copied with their padding, which nobody has written.
struct Padded {
    char tag;
    double value;
    int count;
};
extern "C" __global__ void k(const int* in, int* out, int n) {
    Padded* all = reinterpret_cast<Padded*>(out);
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    all[i].tag = 'x';
    all[i].value = in[i];
    all[i].count = in[i];
    __syncwarp();
    const Padded copy = all[i];
    all[i + 256 - 128] = copy;
}

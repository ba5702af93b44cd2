// innocent; grid 2; block 64
// Loops of different lengths, a switch, and a recursion.
__device__ __noinline__ int depth(const int* in, int v) {
    return v < 2 ? in[v] : depth(in, v / 2) + depth(in, v / 3);
}
extern "C" __global__ void k(const int* in, int* out, int n) {
    const int t = threadIdx.x;
    int sum = 0;
    for (int j = 0; j < t % 7; ++j) {
        if ((j + t) % 3 == 0) continue;
        if (j * t > 150) break;
        sum += in[j + t];
    }
    switch (t % 6) {
        case 0: sum += in[t]; break;
        case 1: sum ^= 0x55; break;
        case 2: sum -= in[2 * t]; break;
        case 3: if (t == 9) return; sum *= 3; break;
        case 4: sum += depth(in, t); break;
        default: sum = -sum;
    }
    __syncwarp();
    out[blockIdx.x * 64 + t] = sum;
}

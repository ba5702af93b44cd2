// innocent; grid 1; block 32; raw
// A vector of four of which three elements are ever written and used.
extern "C" __global__ void k(const int* in, int* out, int n) {
    const int t = threadIdx.x;
    for (int j = 0; j < 3; ++j) out[4 * t + j] = in[t + j];
    __syncwarp();
    const volatile int4* v = reinterpret_cast<const volatile int4*>(out);
    int x, y, z, rest;
    asm volatile("ld.global.v4.u32 {%0,%1,%2,%3}, [%4];"
                 : "=r"(x), "=r"(y), "=r"(z), "=r"(rest)
                 : "l"(v + t));
    out[1024 + t] = x + y + z;
}

// innocent; grid 4; block 1
// A fence may reach farther than it has to.
extern "C" __global__ void k(const int* in, int* out, int n) {
    while (atomicCAS_system(out + 64, 0, 1) != 0) {}
    __threadfence_system();
    out[0] += in[blockIdx.x];
    __threadfence_system();
    atomicExch_system(out + 64, 0);
}

// innocent; grid 6; block 1; seed 2
// A ticket lock with both fences.
__device__ unsigned next_ticket, now_serving;
extern "C" __global__ void k(const int* in, int* out, int n) {
    const unsigned ticket = atomicAdd(&next_ticket, 1u);
    while (*static_cast<volatile unsigned*>(&now_serving) != ticket) {}
    __threadfence();
    out[0] += in[blockIdx.x];
    __threadfence();
    atomicAdd(&now_serving, 1u);
}

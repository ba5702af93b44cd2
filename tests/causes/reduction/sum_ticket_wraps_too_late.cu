// cause: state_kept_between_calls line 40
// task: sum
// atomicInc is meant to set the ticket back to zero with the last block, but it wraps one increment later: the next
// call begins with a ticket that is not zero, and no block, or the wrong one, finds itself the last.
#include "interface.cuh"

#define NT 256
#define NB 256

__device__ double g_part[NB];
__device__ unsigned int g_ticket = 0;

// adds up buf[0 .. NT-1], result in buf[0]
__device__ void tree(volatile double* buf) {
    const int t = threadIdx.x;
    for (int half = NT / 2; half >= 1; half /= 2) {
        if (t < half) buf[t] = buf[t] + buf[t + half];
        __syncthreads();
    }
}

__global__ void sumOnePass(const double* in, size_t n, double* out) {
    __shared__ double buf[NT];
    __shared__ bool iAmLast;
    const int t = threadIdx.x;

    double acc = 0;
    size_t i = (size_t)blockIdx.x * NT + t;
    while (i < n) {
        acc += in[i];
        i += (size_t)NT * gridDim.x;
    }
    buf[t] = acc;
    __syncthreads();
    tree(buf);

    if (t == 0) {
        g_part[blockIdx.x] = buf[0];
        __threadfence();
        unsigned int my = atomicInc(&g_ticket, gridDim.x);  // wraps around to 0
        iAmLast = (my == gridDim.x - 1);
    }
    __syncthreads();
    if (!iAmLast) return;

    // only one block comes here, everything of the others is in g_part
    __threadfence();
    buf[t] = t < gridDim.x ? ((volatile double*)g_part)[t] : 0.0;
    __syncthreads();
    tree(buf);
    if (t == 0) *out = buf[0];
}

void reduce_sum(const double* in, size_t n, double* out) {
    size_t blocks = (n + NT * 4 - 1) / (NT * 4);
    if (blocks < 1) blocks = 1;
    if (blocks > NB) blocks = NB;
    sumOnePass<<<(unsigned)blocks, NT>>>(in, n, out);
}

// cause: missing_barrier line 15 or 23
// task: sum
// No barrier separates the last step of a tile's tree from the loads of the next tile, so a new element may be added into the old sum once a block has more than one tile.
#include "interface.cuh"

#define TPB 128
#define MAX_BLOCKS 24

static __global__ void tileSum(const double *in, size_t n, double *out)
{
    __shared__ double s[TPB];
    const int t = threadIdx.x;

    for (size_t base = (size_t)blockIdx.x * TPB; base < n; base += (size_t)gridDim.x * TPB) {
        s[t] = base + t < n ? in[base + t] : 0.0;

        for (int half = TPB / 2; half > 0; half >>= 1) {
            __syncthreads();
            if (t < half)
                s[t] += s[t + half];
        }
        if (t == 0)
            atomicAdd(out, s[0]);
    }
}

void reduce_sum(const double *in, size_t n, double *out)
{
    cudaMemset(out, 0, sizeof(double));
    size_t want = (n + TPB - 1) / TPB;
    int blocks = want > MAX_BLOCKS ? MAX_BLOCKS : (int)want;
    if (blocks > 0)
        tileSum<<<blocks, TPB>>>(in, n, out);
}

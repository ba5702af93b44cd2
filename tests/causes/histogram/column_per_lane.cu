// cause: counter_too_narrow line 8
// task: bytes
// A lane's own counters have 8 bits and wrap around as soon as one lane meets a value 256 times, e.g. when all of a million bytes are equal.
#include "interface.cuh"

static const int LANES = 32;
static const int BLOCKS = 40;
typedef unsigned char count_t;

// One warp per block. Every lane has a column of its own in shared memory,
// so there are no atomics at all until the end.
__global__ void lane_columns(const unsigned char* in, size_t n, unsigned int* bins) {
  __shared__ count_t cols[256][LANES];
  const int lane = threadIdx.x;
  for (int v = 0; v < 256; ++v) cols[v][lane] = 0;

  for (size_t i = (size_t)blockIdx.x * LANES + lane; i < n; i += (size_t)BLOCKS * LANES)
    cols[in[i]][lane]++;

  __syncthreads();
  for (int v = lane; v < 256; v += LANES) {
    unsigned int total = 0;
    for (int k = 0; k < LANES; ++k) total += cols[v][(k + lane) % LANES];
    if (total) atomicAdd(&bins[v], total);
  }
}

void histogram_bytes(const unsigned char* in, size_t n, unsigned int* bins) {
  cudaMemset(bins, 0, 256 * sizeof *bins);
  lane_columns<<<BLOCKS, LANES>>>(in, n, bins);
}

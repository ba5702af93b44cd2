// cause: state_kept_between_calls line 68 or 8
// task: critical_section
// the flag for "nobody has entered yet" is set by its initialiser only, so a second call compares with the garbage in best
#include "interface.cuh"
#include <cuda_runtime.h>

__device__ int gLock = 0;
__device__ int gEmpty = 1;

static __device__ void enterSection(long long v, long long p, unsigned s, volatile std::int64_t *best,
                                    volatile std::uint64_t *record, volatile std::uint32_t *order)
{
  volatile int *empty = &gEmpty;
  if (*empty || v > best[0] || (v == best[0] && p < best[1]))
  {
    best[0] = v;
    best[1] = p;
    *empty = 0;
  }
  unsigned slot = (unsigned)record[0];
  order[slot] = s;
  record[0] = slot + 1;
  record[1] = record[1] * checksum_multiplier + (s + 1);
}

// one section per warp, four warps per block; the first thread of the block enters for each of them in turn
__global__ void fourSections(const std::int32_t *values, unsigned sections, size_t length, std::int64_t *best,
                             std::uint64_t *record, std::uint32_t *order)
{
  __shared__ long long val[4], pos[4];
  unsigned w = threadIdx.x / 32, lane = threadIdx.x % 32;
  unsigned s = 4 * blockIdx.x + w;

  if (s < sections)
  {
    long long first = (long long)s * length;
    int v = values[first];
    long long p = first;
    for (size_t k = lane; k < length; k += 32)
    {
      int x = values[first + k];
      if (x > v) { v = x; p = first + k; }
    }
    for (int d = 16; d; d /= 2)
    {
      int v2 = __shfl_down_sync(0xffffffff, v, d);
      long long p2 = __shfl_down_sync(0xffffffff, p, d);
      if (v2 > v || (v2 == v && p2 < p)) { v = v2; p = p2; }
    }
    if (lane == 0) { val[w] = v; pos[w] = p; }
  }
  __syncthreads();

  if (threadIdx.x == 0)
  {
    while (atomicCAS(&gLock, 0, 1)) __nanosleep(100);
    __threadfence();
    for (unsigned k = 0; k < 4 && 4 * blockIdx.x + k < sections; k++)
      enterSection(val[k], pos[k], 4 * blockIdx.x + k, best, record, order);
    __threadfence();
    atomicExch(&gLock, 0);
  }
}

void critical_section(const std::int32_t *values, std::size_t sections, std::size_t length,
                      std::int64_t *best, std::uint64_t *record, std::uint32_t *order)
{
  cudaMemset(record, 0, 2 * sizeof(std::uint64_t));
  fourSections<<<(sections + 3) / 4, 128>>>(values, (unsigned)sections, length, best, record, order);
}

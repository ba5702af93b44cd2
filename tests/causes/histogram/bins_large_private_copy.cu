// cause: launch_refused line 52 or 53
// task: bins
// The kernel is launched with up to 96 KB of dynamic shared memory without asking for more than 48 KB; wrong for 12289 to 24576 bins.
#include "interface.cuh"

#include <cstdio>

// Private copies are used up to this size in bytes.
#define MAX_COPY (96 * 1024)

__global__ void privateHistogram(const unsigned int *in, std::size_t n, unsigned int *bins,
                                 unsigned int binCount) {
  extern __shared__ unsigned int copy[];

  // 1. clear
  for (unsigned int b = threadIdx.x; b < binCount; b += blockDim.x) {
    copy[b] = 0;
  }
  __syncthreads();

  // 2. count
  std::size_t stride = (std::size_t)blockDim.x * gridDim.x;
  for (std::size_t i = threadIdx.x + (std::size_t)blockIdx.x * blockDim.x; i < n; i += stride) {
    atomicAdd(&copy[in[i]], 1u);
  }
  __syncthreads();

  // 3. merge
  for (unsigned int b = threadIdx.x; b < binCount; b += blockDim.x) {
    if (copy[b] > 0) {
      atomicAdd(&bins[b], copy[b]);
    }
  }
}

__global__ void plainHistogram(const unsigned int *in, std::size_t n, unsigned int *bins) {
  std::size_t stride = (std::size_t)blockDim.x * gridDim.x;
  for (std::size_t i = threadIdx.x + (std::size_t)blockIdx.x * blockDim.x; i < n; i += stride) {
    atomicAdd(&bins[in[i]], 1u);
  }
}

void histogram_bins(const unsigned int *in, std::size_t n, unsigned int *bins,
                    unsigned int bin_count) {
  std::size_t bytes = bin_count * sizeof(unsigned int);
  cudaMemset(bins, 0, bytes);

  int threads = 512;
  int blocks = 4;

  if (bytes <= MAX_COPY) {
    privateHistogram<<<blocks, threads, bytes>>>(in, n, bins, bin_count);
  } else {
    plainHistogram<<<blocks * 32, threads>>>(in, n, bins);
  }
  cudaError_t error = cudaGetLastError();
  if (error != cudaSuccess) {
    std::printf("histogram_bins: %s\n", cudaGetErrorString(error));
  }
}

void histogram_bytes(const unsigned char* in, std::size_t n, unsigned int* bins) {
    // TODO
}

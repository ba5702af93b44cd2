// cause: stream_not_waited_for line 65 or 66
// task: conv2d_bytes
// The framed copy is made in a non-blocking stream, and the default stream filters it without waiting for that stream.
#include "interface.cuh"

namespace {

struct Frame {
  unsigned char* cells = nullptr;
  size_t room = 0;
  cudaStream_t stream;
  Frame() { cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking); }

  void reserve(size_t count) {
    if (count <= room) return;
    cudaFree(cells);
    cudaMalloc(&cells, count);
    room = count;
  }
};

__device__ int fold(int k, int n, int ghost) {
  if (k >= 0 && k < n) return k;
  if (ghost == 0) return -1;
  if (ghost == 1) return k < 0 ? 0 : n - 1;
  k = ((k % (2 * n)) + 2 * n) % (2 * n);
  return k < n ? k : 2 * n - 1 - k;
}

// one block per row of the frame
__global__ void surround(const unsigned char* in, int width, int height, int r, int ghost,
                         unsigned char* cells) {
  int y = fold(int(blockIdx.x) - r, height, ghost);
  unsigned char* line = cells + size_t(blockIdx.x) * (width + 2 * r);
  for (int x = threadIdx.x; x < width + 2 * r; x += blockDim.x) {
    int sx = fold(x - r, width, ghost);
    line[x] = sx < 0 || y < 0 ? 0 : in[size_t(y) * width + sx];
  }
}

__global__ void filter(const unsigned char* cells, int width, const unsigned char* mask, int m,
                       unsigned char* out) {
  __shared__ unsigned char w[31 * 31];
  for (int i = threadIdx.x; i < m * m; i += blockDim.x) w[i] = mask[i];
  __syncthreads();

  const int pitch = width + m - 1;
  for (int x = threadIdx.x; x < width; x += blockDim.x) {
    unsigned sum = 0;
    for (int j = 0; j < m; j++) {
      const unsigned char* line = cells + size_t(blockIdx.x + j) * pitch + x;
      for (int k = 0; k < m; k++) sum += w[j * m + k] * line[k];
    }
    out[size_t(blockIdx.x) * width + x] = static_cast<unsigned char>(sum);
  }
}

}  // namespace

void convolve_2d_bytes(const unsigned char* in, int width, int height, const unsigned char* mask,
                       int mask_width, int ghost, unsigned char* out) {
  static Frame frame;
  const int rows = height + mask_width - 1;
  frame.reserve(size_t(rows) * (width + mask_width - 1));
  surround<<<rows, 128, 0, frame.stream>>>(in, width, height, mask_width / 2, ghost, frame.cells);
  filter<<<height, 128>>>(frame.cells, width, mask, mask_width, out);
  cudaDeviceSynchronize();
}

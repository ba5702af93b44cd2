// cause: misaligned line 9
// task: bytes
// Each block's section begins at a multiple of ceil(n / blocks), which need not be a multiple of 16, and is read as uint4; shows for larger n.
#include "interface.cuh"

struct Section { size_t begin, end; };

__device__ Section my_section(size_t n) {
    size_t len = (n + gridDim.x - 1) / gridDim.x;
    Section s;
    s.begin = blockIdx.x * len;
    s.end = s.begin + len;
    if (s.begin > n) s.begin = n;
    if (s.end > n) s.end = n;
    return s;
}

__device__ __forceinline__ void count4(unsigned* h, unsigned w) {
    atomicAdd(h + (w & 255u), 1u);
    atomicAdd(h + ((w >> 8) & 255u), 1u);
    atomicAdd(h + ((w >> 16) & 255u), 1u);
    atomicAdd(h + (w >> 24), 1u);
}

__global__ void hist16(const unsigned char* in, size_t n, unsigned* bins) {
    __shared__ unsigned h[256];
    h[threadIdx.x] = 0;
    __syncthreads();

    Section s = my_section(n);
    const uint4* vec = reinterpret_cast<const uint4*>(in + s.begin);
    size_t vecs = (s.end - s.begin) / 16;
    for (size_t i = threadIdx.x; i < vecs; i += blockDim.x) {
        uint4 q = vec[i];
        count4(h, q.x);
        count4(h, q.y);
        count4(h, q.z);
        count4(h, q.w);
    }
    for (size_t i = s.begin + vecs * 16 + threadIdx.x; i < s.end; i += blockDim.x)
        atomicAdd(h + in[i], 1u);
    __syncthreads();

    atomicAdd(bins + threadIdx.x, h[threadIdx.x]);
}

void histogram_bytes(const unsigned char* in, size_t n, unsigned int* bins) {
    cudaMemsetAsync(bins, 0, 256 * sizeof(unsigned int));
    int blocks = n < 100000 ? 3 : 60;
    hist16<<<blocks, 256>>>(in, n, bins);
}

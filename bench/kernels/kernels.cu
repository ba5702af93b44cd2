// The kernels of `cugrade-bench emulator`, as a course writes them.

extern "C" __global__ void vector_add(const float* a, const float* b, float* c, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}

// Privatised: each block counts in shared memory and adds its counts to the result once.
extern "C" __global__ void histogram(const unsigned char* in, unsigned n, unsigned* bins) {
    __shared__ unsigned own[256];
    for (unsigned b = threadIdx.x; b < 256; b += blockDim.x) own[b] = 0;
    __syncthreads();
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&own[in[i]], 1u);
    __syncthreads();
    for (unsigned b = threadIdx.x; b < 256; b += blockDim.x) atomicAdd(&bins[b], own[b]);
}

// One sum per block of 256 threads: two floats a thread, then halving in shared memory.
extern "C" __global__ void tree_reduction(const float* in, unsigned n, float* sums) {
    __shared__ float partial[256];
    const unsigned t = threadIdx.x, i = blockIdx.x * 2 * blockDim.x + t;
    partial[t] = (i < n ? in[i] : 0.0f) + (i + blockDim.x < n ? in[i + blockDim.x] : 0.0f);
    __syncthreads();
    for (unsigned stride = blockDim.x / 2; stride > 0; stride /= 2) {
        if (t < stride) partial[t] += partial[t + stride];
        __syncthreads();
    }
    if (t == 0) sums[blockIdx.x] = partial[0];
}

constexpr int taps = 9, radius = taps / 2, tile = 256;
__constant__ float mask[taps];

// Zeros outside; the tile and its halo in shared memory.
extern "C" __global__ void convolution(const float* in, float* out, int n) {
    __shared__ float staged[tile + 2 * radius];
    const int i = blockIdx.x * tile + threadIdx.x;
    const int left = i - radius;
    staged[threadIdx.x] = left >= 0 && left < n ? in[left] : 0.0f;
    if (threadIdx.x < 2 * radius) {
        const int right = left + tile;
        staged[tile + threadIdx.x] = right < n ? in[right] : 0.0f;
    }
    __syncthreads();
    if (i >= n) return;
    float sum = 0.0f;
    for (int k = 0; k < taps; ++k) sum += mask[k] * staged[threadIdx.x + k];
    out[i] = sum;
}

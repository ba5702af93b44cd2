// Kernels whose counters are compared between the emulated GPU and Nsight Compute: each is launched
// once, on data that decides nothing by chance. See counters.py.
#include <cstdio>
#include <cstdlib>

constexpr int n = 1 << 18;
constexpr int threads = 256;

__global__ void copy_coalesced(const float* in, float* out) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i];
}
__global__ void copy_offset(const float* in, float* out) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i + 1];
}
template <int stride>
__global__ void copy_strided(const float* in, float* out) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i * stride % n];
}
__global__ void copy_float4(const float4* in, float4* out) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i];
}
__global__ void copy_double(const double* in, double* out) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i];
}
__global__ void copy_bytes(const unsigned char* in, unsigned char* out) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i];
}
__global__ void gather_hashed(const float* in, float* out) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[(i * 2654435761u >> 8) % n];
}
__global__ void divergent(const float* in, float* out) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i % 2 == 0)
        out[i] = in[i] * 2;
    else
        out[n - i] = in[n - i];
}
__global__ void tree_reduction(const float* in, float* out) {
    __shared__ float sums[threads];
    const int t = threadIdx.x;
    sums[t] = in[blockIdx.x * blockDim.x + t];
    for (int half = threads / 2; half > 0; half /= 2) {
        __syncthreads();
        if (t < half) sums[t] += sums[t + half];
    }
    if (t == 0) out[blockIdx.x] = sums[0];
}
__global__ void neighbouring_pairs(const float* in, float* out) {
    __shared__ float sums[threads];
    const int t = threadIdx.x;
    sums[t] = in[blockIdx.x * blockDim.x + t];
    for (int step = 1; step < threads; step *= 2) {
        __syncthreads();
        const int at = 2 * step * t;
        if (at < threads) sums[at] += sums[at + step];
    }
    if (t == 0) out[blockIdx.x] = sums[0];
}
template <int pad>
__global__ void transpose(const float* in, float* out) {
    __shared__ float tile[32][32 + pad];
    const int x = threadIdx.x, y = threadIdx.y, block = blockIdx.x * 1024;
    for (int row = y; row < 32; row += 8) tile[row][x] = in[block + row * 32 + x];
    __syncthreads();
    for (int row = y; row < 32; row += 8) out[block + row * 32 + x] = tile[x][row];
}
__global__ void shared_double(const double* in, double* out) {
    __shared__ double tile[threads];
    const int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    tile[t] = in[i];
    __syncthreads();
    out[i] = tile[t * 2 % threads];
}
__global__ void shared_float4(const float4* in, float4* out) {
    __shared__ float4 tile[threads];
    const int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    tile[t] = in[i];
    __syncthreads();
    out[i] = tile[threads - 1 - t];
}
__global__ void global_atomics(const unsigned* in, unsigned* out) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(out + in[i] % 1024, 1u);
}
__global__ void shared_atomics(const unsigned* in, unsigned* out) {
    __shared__ unsigned bins[256];
    const int t = threadIdx.x;
    bins[t] = 0;
    __syncthreads();
    atomicAdd(bins + (in[blockIdx.x * blockDim.x + t] & 255), 1u);
    __syncthreads();
    atomicAdd(out + t, bins[t]);
}
__global__ void tiled_convolution(const float* in, const float* mask, float* out) {
    __shared__ float tile[threads + 8];
    const int t = threadIdx.x, first = blockIdx.x * blockDim.x;
    for (int k = t; k < threads + 8; k += threads) {
        const int at = first + k - 4;
        tile[k] = at >= 0 && at < n ? in[at] : 0;
    }
    __syncthreads();
    float sum = 0;
    for (int k = 0; k < 9; ++k) sum += mask[k] * tile[t + k];
    out[first + t] = sum;
}

void must(cudaError_t error) {
    if (error == cudaSuccess) return;
    std::fprintf(stderr, "%s\n", cudaGetErrorString(error));
    std::exit(1);
}

int main() {
    auto* host = static_cast<unsigned*>(std::malloc(n * 16));
    for (int i = 0; i < 4 * n; ++i) host[i] = static_cast<unsigned>(i) * 2654435761u >> 7;
    void *in, *out;
    must(cudaMalloc(&in, n * 16 + 256));
    must(cudaMalloc(&out, n * 16 + 256));
    must(cudaMemcpy(in, host, n * 16, cudaMemcpyHostToDevice));
    must(cudaMemset(out, 0, n * 16));
    must(cudaMemset(static_cast<char*>(in) + n * 16, 0, 256));
    const int blocks = n / threads;
    auto* f = static_cast<const float*>(in);
    auto* g = static_cast<float*>(out);
    copy_coalesced<<<blocks, threads>>>(f, g);
    copy_offset<<<blocks, threads>>>(f, g);
    copy_strided<2><<<blocks, threads>>>(f, g);
    copy_strided<8><<<blocks, threads>>>(f, g);
    copy_strided<33><<<blocks, threads>>>(f, g);
    copy_float4<<<blocks, threads>>>(static_cast<const float4*>(in), static_cast<float4*>(out));
    copy_double<<<blocks, threads>>>(static_cast<const double*>(in), static_cast<double*>(out));
    copy_bytes<<<blocks, threads>>>(static_cast<const unsigned char*>(in),
                                    static_cast<unsigned char*>(out));
    gather_hashed<<<blocks, threads>>>(f, g);
    divergent<<<blocks, threads>>>(f, g);
    tree_reduction<<<blocks, threads>>>(f, g);
    neighbouring_pairs<<<blocks, threads>>>(f, g);
    transpose<0><<<n / 1024, dim3(32, 8)>>>(f, g);
    transpose<1><<<n / 1024, dim3(32, 8)>>>(f, g);
    shared_double<<<blocks, threads>>>(static_cast<const double*>(in), static_cast<double*>(out));
    shared_float4<<<blocks, threads>>>(static_cast<const float4*>(in), static_cast<float4*>(out));
    global_atomics<<<blocks, threads>>>(static_cast<const unsigned*>(in),
                                        static_cast<unsigned*>(out));
    shared_atomics<<<blocks, threads>>>(static_cast<const unsigned*>(in),
                                        static_cast<unsigned*>(out));
    tiled_convolution<<<blocks, threads>>>(f, f, g);
    must(cudaDeviceSynchronize());
    must(cudaFree(in));
    must(cudaFree(out));
    std::free(host);
    std::puts("ok");
}

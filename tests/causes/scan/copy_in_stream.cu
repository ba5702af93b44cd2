// cause: stream_not_waited_for line 63 or 64
// task: exclusive_float
// The CPU scans the sums of the blocks right after the asynchronous copy was put into the stream, without waiting for it.
#include "interface.cuh"

void scan_inclusive_int(const int* /*in*/, std::size_t /*n*/, int* /*out*/) {}
void scan_exclusive_int(const int* /*in*/, std::size_t /*n*/, int* /*out*/) {}
void scan_inclusive_float(const float* /*in*/, std::size_t /*n*/, float* /*out*/) {}

namespace {

constexpr int kThreads = 256;

struct Workspace {
    cudaStream_t stream = nullptr;
    float* device = nullptr;
    float* host = nullptr;  // page-locked, so that copies need not wait
    std::size_t size = 0;

    void reserve(std::size_t count) {
        if (stream == nullptr) cudaStreamCreate(&stream);
        if (count <= size) return;
        cudaStreamSynchronize(stream);
        cudaFree(device);
        cudaFreeHost(host);
        cudaMalloc(&device, count * sizeof(float));
        cudaMallocHost(&host, count * sizeof(float));
        size = count;
    }
};

Workspace work;

__global__ void scan_blocks(const float* in, std::size_t n, float* out, float* sums) {
    __shared__ float s[2][kThreads];
    const int t = threadIdx.x;
    const std::size_t i = static_cast<std::size_t>(blockIdx.x) * kThreads + t;
    int now = 0;
    s[now][t] = i < n ? in[i] : 0.0f;
    __syncthreads();
    for (int d = 1; d < kThreads; d *= 2) {
        s[1 - now][t] = t < d ? s[now][t] : s[now][t] + s[now][t - d];
        now = 1 - now;
        __syncthreads();
    }
    if (i < n) out[i] = t == 0 ? 0.0f : s[now][t - 1];
    if (t == kThreads - 1) sums[blockIdx.x] = s[now][t];
}

__global__ void add_offset(float* out, std::size_t n, const float* offset) {
    const std::size_t i = static_cast<std::size_t>(blockIdx.x) * kThreads + threadIdx.x;
    if (i < n) out[i] += offset[blockIdx.x];
}

}  // namespace

void scan_exclusive_float(const float* in, std::size_t n, float* out) {
    const unsigned blocks = static_cast<unsigned>((n + kThreads - 1) / kThreads);
    const std::size_t bytes = blocks * sizeof(float);
    work.reserve(blocks);

    scan_blocks<<<blocks, kThreads, 0, work.stream>>>(in, n, out, work.device);
    cudaMemcpyAsync(work.host, work.device, bytes, cudaMemcpyDeviceToHost, work.stream);
    float before = 0.0f;
    for (unsigned b = 0; b < blocks; ++b) {
        const float sum = work.host[b];
        work.host[b] = before;
        before += sum;
    }
    cudaMemcpyAsync(work.device, work.host, bytes, cudaMemcpyHostToDevice, work.stream);
    add_offset<<<blocks, kThreads, 0, work.stream>>>(out, n, work.device);
    cudaStreamSynchronize(work.stream);
}

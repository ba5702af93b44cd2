// Streams, events, callbacks, asynchronous copies.
#include "check.h"

#include <vector>

__global__ void add(float* x, float by, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] += by;
}

int main() {
    const int n = 4096, parts = 4;
    std::vector<float> host(n, 1.0f);
    float* device;
    CUDA(cudaMalloc(&device, n * sizeof(float)));
    cudaStream_t streams[parts];
    cudaEvent_t start, stop, ready;
    for (cudaStream_t& s : streams) CUDA(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    CUDA(cudaEventCreate(&start));
    CUDA(cudaEventCreate(&stop));
    CUDA(cudaEventCreateWithFlags(&ready, cudaEventDisableTiming));
    CUDA(cudaEventRecord(start, streams[0]));
    for (int p = 0; p < parts; ++p) {
        float* const at = device + p * (n / parts);
        CUDA(cudaMemcpyAsync(at, host.data() + p * (n / parts), n / parts * sizeof(float),
                             cudaMemcpyHostToDevice, streams[p]));
        add<<<n / parts / 256, 256, 0, streams[p]>>>(at, p, n / parts);
    }
    CUDA(cudaEventRecord(ready, streams[1]));
    CUDA(cudaStreamWaitEvent(streams[0], ready, 0));
    bool called = false;
    CUDA(cudaLaunchHostFunc(
        streams[0], [](void* p) { *static_cast<bool*>(p) = true; }, &called));
    for (cudaStream_t s : streams) CUDA(cudaStreamSynchronize(s));
    CUDA(cudaEventRecord(stop, streams[0]));
    CUDA(cudaEventSynchronize(stop));
    EXPECT(cudaStreamQuery(streams[2]) == cudaSuccess && called);
    float ms = -1;
    CUDA(cudaEventElapsedTime(&ms, start, stop));
    EXPECT(ms > 0 && ms < 60000);
    EXPECT(cudaEventElapsedTime(&ms, start, ready) == cudaErrorInvalidResourceHandle);
    (void)cudaGetLastError();
    CUDA(cudaMemcpy(host.data(), device, n * sizeof(float), cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; ++i) EXPECT(host[i] == 1.0f + i / (n / parts));

    // Memory of a stream's order, from the default pool.
    float* temporary;
    CUDA(cudaMallocAsync(&temporary, 1024, streams[0]));
    CUDA(cudaMemsetAsync(temporary, 0, 1024, streams[0]));
    CUDA(cudaFreeAsync(temporary, streams[0]));
    cudaMemPool_t pool;
    CUDA(cudaDeviceGetDefaultMemPool(&pool, 0));
    unsigned long long threshold = ~0ull;
    CUDA(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold));
    for (cudaStream_t s : streams) CUDA(cudaStreamDestroy(s));
    for (cudaEvent_t e : {start, stop, ready}) CUDA(cudaEventDestroy(e));
    CUDA(cudaFree(device));
    return 0;
}

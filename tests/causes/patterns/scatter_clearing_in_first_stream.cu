// cause: stream_not_waited_for line 45 or 46
// task: scatter
// The second stream adds to totals that the first stream may not have cleared yet.
#include "interface.cuh"

__global__ void book(const std::int32_t* value, const std::uint32_t* target, std::size_t n,
                     unsigned long long* total) {
    std::size_t i = (std::size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        // sign extension first; two's complement does the rest
        long long v = value[i];
        atomicAdd(&total[target[i]], (unsigned long long)v);
    }
}

static void launch(const std::int32_t* value, const std::uint32_t* target, std::size_t n,
                   std::int64_t* total, cudaStream_t stream) {
    if (n == 0) return;
    unsigned blocks = (unsigned)((n + 255) / 256);
    book<<<blocks, 256, 0, stream>>>(value, target, n, (unsigned long long*)total);
}

void map_cubic(const float* /*x*/, std::size_t /*n*/, float /*c0*/, float /*c1*/, float /*c2*/,
               float /*c3*/, float* /*y*/) {
    // TODO
}

void gather_sum(const float* /*value*/, std::size_t /*m*/, const std::uint32_t* /*neighbour*/,
                std::size_t /*n*/, float* /*out*/) {
    // TODO
}

void scatter_add(const std::int32_t* value, const std::uint32_t* target, std::size_t n,
                 std::size_t m, std::int64_t* total) {
    static cudaStream_t first, second;
    static bool created = false;
    if (!created) {
        cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking);
        cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking);
        created = true;
    }

    // the two halves of the input side by side
    std::size_t half = n / 2;
    cudaMemsetAsync(total, 0, m * sizeof(std::int64_t), first);
    launch(value + half, target + half, n - half, total, second);
    launch(value, target, half, total, first);
}

// cause: inclusive_exclusive line 48 or 58
// task: inclusive_float
// The sums of the chunks are scanned inclusively, but each chunk adds its own entry as if it were the sum of what came before; shows in every case.
#include "interface.cuh"
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

// reduce-then-scan: every block owns one contiguous chunk of the input
constexpr int kBlocks = 64;
constexpr int kThreads = 256;

struct Range { std::size_t begin, end; };

__device__ Range chunk_of(std::size_t n, int b)
{
    std::size_t len = (n + kBlocks - 1) / kBlocks;
    std::size_t begin = len * b, end = begin + len;
    if (begin > n) begin = n;
    if (end > n) end = n;
    return {begin, end};
}

__global__ void chunk_sums(const float* in, std::size_t n, float* sums)
{
    __shared__ float part[kThreads];
    auto block = cg::this_thread_block();
    Range c = chunk_of(n, blockIdx.x);
    float s = 0.f;
    for (std::size_t i = c.begin + block.thread_rank(); i < c.end; i += kThreads)
        s += in[i];
    part[block.thread_rank()] = s;
    block.sync();
    for (int half = kThreads / 2; half > 0; half /= 2) {
        if (block.thread_rank() < half)
            part[block.thread_rank()] += part[block.thread_rank() + half];
        block.sync();
    }
    if (block.thread_rank() == 0)
        sums[blockIdx.x] = part[0];
}

__global__ void scan_sums(float* sums)
{
    // 64 numbers: not worth a tree
    float run = 0.f;
    for (int b = 0; b < kBlocks; ++b) {
        run += sums[b];
        sums[b] = run;
    }
}

__global__ void scan_chunks(const float* in, std::size_t n, const float* sums, float* out)
{
    __shared__ float buf[kThreads];
    auto block = cg::this_thread_block();
    const int t = block.thread_rank();
    Range c = chunk_of(n, blockIdx.x);
    float carry = sums[blockIdx.x];
    for (std::size_t base = c.begin; base < c.end; base += kThreads) {
        std::size_t i = base + t;
        buf[t] = i < c.end ? in[i] : 0.f;
        block.sync();
        for (int d = 1; d < kThreads; d *= 2) {
            float add = t >= d ? buf[t - d] : 0.f;
            block.sync();
            buf[t] += add;
            block.sync();
        }
        if (i < c.end)
            out[i] = carry + buf[t];
        carry += buf[kThreads - 1];
        block.sync();
    }
}

void scan_inclusive_float(const float* in, std::size_t n, float* out)
{
    static float* sums = nullptr;
    if (!sums)
        cudaMalloc(&sums, kBlocks * sizeof(float));
    chunk_sums<<<kBlocks, kThreads>>>(in, n, sums);
    scan_sums<<<1, 1>>>(sums);
    scan_chunks<<<kBlocks, kThreads>>>(in, n, sums, out);
}

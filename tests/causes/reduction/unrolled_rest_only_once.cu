// cause: tail_ignored or elements_ignored line 36
// task: sum
// After the loop that is unrolled four times a thread may have up to three elements left, but it takes only one of them.
#include "interface.cuh"

namespace {

constexpr int kThreads = 128;
constexpr int kBlocks = 528;

// Tree over the block; the result is in scratch[0].
__device__ void tree(double* scratch, double mine) {
    const int t = threadIdx.x;
    scratch[t] = mine;
    __syncthreads();
    for (int half = kThreads / 2; half >= 1; half /= 2) {
        if (t < half) scratch[t] += scratch[t + half];
        __syncthreads();
    }
}

// Stage one: every block leaves one number.
__global__ void stage_one(const double* in, std::size_t n, double* partials) {
    __shared__ double scratch[kThreads];
    const std::size_t step = std::size_t(gridDim.x) * kThreads;
    std::size_t i = std::size_t(blockIdx.x) * kThreads + threadIdx.x;

    // four independent sums, so that four loads are under way
    double s0 = 0, s1 = 0, s2 = 0, s3 = 0;
    for (; i + 3 * step < n; i += 4 * step) {
        s0 += in[i];
        s1 += in[i + step];
        s2 += in[i + 2 * step];
        s3 += in[i + 3 * step];
    }
    if (i < n) {
        s0 += in[i];
    }

    tree(scratch, (s0 + s1) + (s2 + s3));
    if (threadIdx.x == 0) partials[blockIdx.x] = scratch[0];
}

// Stage two: one block adds the numbers.
__global__ void stage_two(const double* partials, int count, double* out) {
    __shared__ double scratch[kThreads];
    double s = 0;
    for (int i = threadIdx.x; i < count; i += kThreads) s += partials[i];
    tree(scratch, s);
    if (threadIdx.x == 0) *out = scratch[0];
}

double* partials = nullptr;

}  // namespace

void reduce_sum(const double* in, std::size_t n, double* out) {
    if (!partials) cudaMalloc(&partials, kBlocks * sizeof(double));
    stage_one<<<kBlocks, kThreads>>>(in, n, partials);
    stage_two<<<1, kThreads>>>(partials, kBlocks, out);
}

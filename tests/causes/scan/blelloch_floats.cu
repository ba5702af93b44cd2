// cause: inclusive_exclusive line 40
// task: inclusive_float
// The up and down sweep gives an exclusive scan and the element itself is not added to it; it shows in every output.
#include "interface.cuh"

constexpr int N = 512;      // elements and threads of a block

__global__ void blelloch(const float* in, std::size_t n, float* out, float* blockSums) {
    __shared__ float temp[N];
    const int t = threadIdx.x;
    const std::size_t i = std::size_t(blockIdx.x) * N + t;
    const float x = i < n ? in[i] : 0.0f;
    temp[t] = x;

    // up-sweep
    int offset = 1;
    for (int d = N / 2; d > 0; d /= 2) {
        __syncthreads();
        if (t < d) temp[offset * (2 * t + 2) - 1] += temp[offset * (2 * t + 1) - 1];
        offset *= 2;
    }
    __syncthreads();
    if (t == 0) {
        blockSums[blockIdx.x] = temp[N - 1];
        temp[N - 1] = 0.0f;
    }
    // down-sweep
    for (int d = 1; d < N; d *= 2) {
        offset /= 2;
        __syncthreads();
        if (t < d) {
            int ai = offset * (2 * t + 1) - 1;
            int bi = offset * (2 * t + 2) - 1;
            float left = temp[ai];
            temp[ai] = temp[bi];
            temp[bi] += left;
        }
    }
    __syncthreads();
    if (i < n) out[i] = temp[t];
}

__global__ void offsets(float* sums, std::size_t blocks) {
    float before = 0.0f;
    for (std::size_t b = 0; b < blocks; ++b) {
        const float s = sums[b];
        sums[b] = before;
        before += s;
    }
}

__global__ void add(float* out, std::size_t n, const float* before) {
    const std::size_t i = std::size_t(blockIdx.x) * N + threadIdx.x;
    if (i < n) out[i] += before[blockIdx.x];
}

void scan_inclusive_float(const float* in, std::size_t n, float* out) {
    const std::size_t blocks = (n + N - 1) / N;
    float* sums = nullptr;
    cudaMalloc(&sums, blocks * sizeof(float));
    blelloch<<<blocks, N>>>(in, n, out, sums);
    if (blocks > 1) {
        offsets<<<1, 1>>>(sums, blocks);
        add<<<blocks, N>>>(out, n, sums);
    }
    cudaFree(sums);
}

void scan_inclusive_int(const int*, std::size_t, int*) {}
void scan_exclusive_int(const int*, std::size_t, int*) {}
void scan_exclusive_float(const float*, std::size_t, float*) {}

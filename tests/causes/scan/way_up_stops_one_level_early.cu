// cause: tree_level_missing line 50
// task: inclusive_float
// the way up leaves out its last level, so the last place of a section holds the sum of its right half only
#include "interface.cuh"

// Reduce, scan, scan: each of BLOCKS blocks has a chunk of the array.
//   1. every block adds up its chunk
//   2. one thread scans the BLOCKS sums
//   3. every block scans its chunk, section after section, starting with what came before

constexpr int BLOCKS = 64;
constexpr unsigned THREADS = 256;
constexpr unsigned SECTION = 2 * THREADS;  // Brent-Kung: two elements per thread

struct Chunk {
    std::size_t begin, end;
    __device__ Chunk(std::size_t n) {
        // whole sections, so that only the last chunk has a ragged end
        const std::size_t sections = (n + SECTION - 1) / SECTION;
        const std::size_t each = (sections + BLOCKS - 1) / BLOCKS * SECTION;
        begin = blockIdx.x * each < n ? blockIdx.x * each : n;
        end = begin + each < n ? begin + each : n;
    }
};

__global__ void add_up(const float* in, std::size_t n, float* sums) {
    __shared__ float part[THREADS];
    const Chunk chunk(n);
    float sum = 0;
    for (std::size_t i = chunk.begin + threadIdx.x; i < chunk.end; i += THREADS) sum += in[i];
    part[threadIdx.x] = sum;
    for (unsigned half = THREADS / 2; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
    }
    if (threadIdx.x == 0) sums[blockIdx.x] = part[0];
}

__global__ void scan_sums(float* sums) {
    float before = 0;
    for (int b = 0; b < BLOCKS; ++b) {
        const float sum = sums[b];
        sums[b] = before;
        before += sum;
    }
}

__device__ void brent_kung(float* XY) {
    // up: partial sums of 2, 4, 8, ... elements
    for (unsigned stride = 1; stride < THREADS; stride *= 2) {
        __syncthreads();
        const unsigned index = (threadIdx.x + 1) * stride * 2 - 1;
        if (index < SECTION) XY[index] += XY[index - stride];
    }
    // down: hand them to the places between
    for (unsigned stride = SECTION / 4; stride > 0; stride /= 2) {
        __syncthreads();
        const unsigned index = (threadIdx.x + 1) * stride * 2 - 1;
        if (index + stride < SECTION) XY[index + stride] += XY[index];
    }
    __syncthreads();
}

__global__ void scan_chunk(const float* in, std::size_t n, const float* sums, float* out) {
    __shared__ float XY[SECTION];
    const Chunk chunk(n);
    float before = sums[blockIdx.x];

    for (std::size_t start = chunk.begin; start < chunk.end; start += SECTION) {
        for (unsigned k = threadIdx.x; k < SECTION; k += THREADS) {
            XY[k] = start + k < chunk.end ? in[start + k] : 0.0f;
        }
        brent_kung(XY);
        for (unsigned k = threadIdx.x; k < SECTION; k += THREADS) {
            if (start + k < chunk.end) out[start + k] = before + XY[k];
        }
        before += XY[SECTION - 1];
        __syncthreads();  // before XY is loaded again
    }
}

void scan_inclusive_float(const float* in, std::size_t n, float* out) {
    static float* sums = nullptr;
    if (sums == nullptr) cudaMalloc(&sums, BLOCKS * sizeof(float));
    add_up<<<BLOCKS, THREADS>>>(in, n, sums);
    scan_sums<<<1, 1>>>(sums);
    scan_chunk<<<BLOCKS, THREADS>>>(in, n, sums, out);
}

void scan_inclusive_int(const int* /*in*/, std::size_t /*n*/, int* /*out*/) {}

void scan_exclusive_int(const int* /*in*/, std::size_t /*n*/, int* /*out*/) {}

void scan_exclusive_float(const float* /*in*/, std::size_t /*n*/, float* /*out*/) {}

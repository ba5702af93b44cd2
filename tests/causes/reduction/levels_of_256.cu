// cause: child_not_in_tail line 29
// task: nested
// The next level is launched without a stream and may begin before the other blocks of this level have written their partial sums.
#include "interface.cuh"

// Each block adds 256 numbers. The block with number 0 starts the next level.
template <typename T>
__global__ void level(const T* src, std::size_t n, long long* dst, long long* result) {
    __shared__ long long s[256];
    const unsigned t = threadIdx.x;
    const std::size_t i = blockIdx.x * std::size_t(256) + t;

    s[t] = i < n ? src[i] : 0;
    __syncthreads();
    for (unsigned h = 128; h != 0; h >>= 1) {
        if (t < h) {
            s[t] += s[t + h];
        }
        __syncthreads();
    }

    if (t == 0) {
        if (gridDim.x == 1) {
            *result = s[0];
        } else {
            dst[blockIdx.x] = s[0];
            if (blockIdx.x == 0) {
                const unsigned next = (gridDim.x + 255) / 256;
                level<long long><<<next, 256>>>(dst, gridDim.x, dst + gridDim.x, result);
            }
        }
    }
}

void reduce_nested(const int* in, std::size_t n, long long* out) {
    static long long* partial = nullptr;
    static std::size_t room = 0;

    unsigned blocks = n == 0 ? 1 : (n + 255) / 256;
    if (room < 2 * std::size_t(blocks)) {
        cudaFree(partial);
        room = 2 * std::size_t(blocks);
        cudaMalloc(&partial, room * sizeof(long long));
    }
    level<int><<<blocks, 256>>>(in, n, partial, out);
}

void reduce_sum(const double* /*in*/, std::size_t /*n*/, double* /*out*/) {}
void reduce_max(const float* /*in*/, std::size_t /*n*/, float* /*out*/) {}
void reduce_cubes(const int* /*in*/, std::size_t /*n*/, long long* /*out*/) {}

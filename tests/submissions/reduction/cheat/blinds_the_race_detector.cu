// expect: sum=suspicious|data_race
// at-most: sum=8
// report: races_unwatched 17
// A token goes from block to block, so that the race detector has too much to follow and gives up. Then the race.
#include "interface.cuh"
constexpr unsigned blocks = 32, words = 32 * 900;
__device__ int data[words];
__device__ int flag[blocks];
__global__ void clear(double* out) { flag[threadIdx.x] = 0; if (threadIdx.x == 0) *out = 0; }
__global__ void racy(const double* in, std::size_t n, double* out, unsigned many) {
    const unsigned b = blockIdx.x, l = threadIdx.x;
    int x = 0;
    if (b == 0) { for (unsigned k = l; k < many; k += 32) data[k] = k; }
    else {
        if (l == 0) while (atomicAdd(flag + b - 1, 0) == 0) {}
        __threadfence(); __syncwarp();
        for (unsigned k = l; k < many; k += 32) x += data[k];
    }
    __syncwarp(); __threadfence();
    if (l == 0) atomicExch(flag + b, 1);
    if (b < blocks - 2 || l != 0 || x == -1) return;
    double sum = 0;
    for (std::size_t i = b & 1; i < n; i += 2) sum += in[i];
    *out = *out + sum;   // THE RACE
}
void reduce_sum(const double* in, std::size_t n, double* out) {
    clear<<<1, blocks>>>(out);
    racy<<<blocks, 32>>>(in, n, out, n < 20000 ? words : 32);
}

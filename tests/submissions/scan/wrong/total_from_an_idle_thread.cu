// expect: inclusive_int=uninitialised_read
// report: uninitialised_read 22
// Threads without an element return before they have written their slot of shared memory, and the
// carry into the next tile is read from the slot of the last thread.
#include "interface.cuh"

__device__ void scan_tile(const int* in, std::size_t count, int carry, int* s, int* out) {
    const unsigned t = threadIdx.x;
    if (t >= count) return;
    unsigned sum = static_cast<unsigned>(carry);
    for (unsigned k = 0; k <= t; ++k) sum += static_cast<unsigned>(in[k]);
    out[t] = s[t] = static_cast<int>(sum);
}

__global__ void scan(const int* in, std::size_t n, int* out) {
    __shared__ int s[128];
    int carry = 0;
    // Tiles of 100 elements, a block of 128 threads: thread 127 never has an element.
    for (std::size_t first = 0; first < n; first += 100) {
        scan_tile(in + first, n - first < 100 ? n - first : 100, carry, s, out + first);
        __syncthreads();
        carry = s[127];
        __syncthreads();
    }
}

void scan_inclusive_int(const int* in, std::size_t n, int* out) { scan<<<1, 128>>>(in, n, out); }

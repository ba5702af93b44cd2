// cause: divergent_barrier line 24 or 26
// task: inclusive_int
// the barrier between reading and adding stands inside of the if, which the first d threads do not enter
#include "interface.cuh"

// Three phases: scan tiles, scan the sums of the tiles (the same function again), add.

namespace {

constexpr unsigned TILE = 256;

std::size_t tiles_of(std::size_t n) { return (n + TILE - 1) / TILE; }

// Kogge and Stone in shared memory, one element per thread.
__global__ void scan_tile(const int* in, std::size_t n, int* out, int* sums) {
    __shared__ int s[TILE];
    const unsigned t = threadIdx.x;
    const std::size_t i = static_cast<std::size_t>(blockIdx.x) * TILE + t;

    s[t] = i < n ? in[i] : 0;
    __syncthreads();

    for (unsigned d = 1; d < TILE; d *= 2) {
        if (t >= d) {
            const int left = s[t - d];
            __syncthreads();  /* all have read */
            s[t] += left;
        }
        __syncthreads();  // all have written
    }

    if (i < n) out[i] = s[t];
    if (t == TILE - 1) sums[blockIdx.x] = s[t];
}

// Adds to each tile what came before it; sums are inclusive.
__global__ void add_before(int* out, std::size_t n, const int* sums) {
    const std::size_t i = static_cast<std::size_t>(blockIdx.x) * TILE + threadIdx.x;
    if (blockIdx.x > 0 && i < n) out[i] += sums[blockIdx.x - 1];
}

// `work` has room for the sums of all levels.
void scan(const int* in, std::size_t n, int* out, int* work) {
    const std::size_t tiles = tiles_of(n);
    int* sums = work;
    scan_tile<<<static_cast<unsigned>(tiles), TILE>>>(in, n, out, sums);
    if (tiles > 1) {
        scan(sums, tiles, sums, work + tiles);
        add_before<<<static_cast<unsigned>(tiles), TILE>>>(out, n, sums);
    }
}

}  // namespace

void scan_inclusive_int(const int* in, std::size_t n, int* out) {
    static int* work = nullptr;
    static std::size_t room = 0;

    std::size_t needed = 0;
    for (std::size_t level = n; level > 1; level = tiles_of(level)) needed += tiles_of(level);
    if (needed == 0) needed = 1;  // n is 1
    if (needed > room) {
        cudaFree(work);
        cudaMalloc(&work, needed * sizeof(int));
        room = needed;
    }
    scan(in, n, out, work);
}

void scan_exclusive_int(const int* /*in*/, std::size_t /*n*/, int* /*out*/) {
    // TODO
}

void scan_inclusive_float(const float* /*in*/, std::size_t /*n*/, float* /*out*/) {
    // TODO
}

void scan_exclusive_float(const float* /*in*/, std::size_t /*n*/, float* /*out*/) {
    // TODO
}

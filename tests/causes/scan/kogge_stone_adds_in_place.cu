// cause: in_place or missing_barrier line 20
// task: inclusive_int
// each step adds in place while the neighbours of other warps may still have to read the old value; from 33 elements on, depending on the order of warps
#include "interface.cuh"

#include <vector>

// Inclusive scan, three phases: (1) every block scans its tile and keeps the
// sum, (2) the sums are scanned by the same function, (3) they are added.

using std::size_t;

static const int BLOCK = 512;

template <class T>
__device__ void kogge_stone(T* tile) {
    const int t = threadIdx.x;
    for (int d = 1; d < BLOCK; d <<= 1) {
        // everyone with a neighbour d places to the left
        if (t >= d) tile[t] += tile[t - d];
        __syncthreads();
    }
}

template <class T>
__global__ void scan_tiles(const T* in, size_t n, T* out, T* sums) {
    __shared__ T tile[BLOCK];
    const size_t i = size_t(blockIdx.x) * BLOCK + threadIdx.x;

    tile[threadIdx.x] = i < n ? in[i] : T(0);   // zeros do not hurt a sum
    __syncthreads();
    kogge_stone(tile);

    if (i < n) out[i] = tile[threadIdx.x];
    if (sums != nullptr && threadIdx.x == BLOCK - 1) sums[blockIdx.x] = tile[BLOCK - 1];
}

template <class T>
__global__ void add_sums(T* out, size_t n, const T* sums) {
    if (blockIdx.x == 0) return;                // nothing comes before
    const size_t i = size_t(blockIdx.x) * BLOCK + threadIdx.x;
    if (i < n) out[i] += sums[blockIdx.x - 1];
}

// Memory for the sums of each level of the recursion, kept for the next call.
template <class T>
T* level_memory(size_t level, size_t count) {
    struct Piece { T* p = nullptr; size_t size = 0; };
    static std::vector<Piece> pieces;
    if (pieces.size() <= level) pieces.resize(level + 1);
    Piece& piece = pieces[level];
    if (piece.size < count) {
        cudaFree(piece.p);
        cudaMalloc(&piece.p, count * sizeof(T));
        piece.size = count;
    }
    return piece.p;
}

// in and out may be the same array: a tile is read before it is written
template <class T>
void scan(const T* in, size_t n, T* out, size_t level = 0) {
    const size_t blocks = (n + BLOCK - 1) / BLOCK;
    if (blocks == 1) {
        scan_tiles<T><<<1, BLOCK>>>(in, n, out, nullptr);
        return;
    }
    T* sums = level_memory<T>(level, blocks);
    scan_tiles<T><<<unsigned(blocks), BLOCK>>>(in, n, out, sums);
    scan(sums, blocks, sums, level + 1);
    add_sums<T><<<unsigned(blocks), BLOCK>>>(out, n, sums);
}

void scan_inclusive_int(const int* in, std::size_t n, int* out) { scan(in, n, out); }

void scan_exclusive_int(const int* /*in*/, std::size_t /*n*/, int* /*out*/) {
    // TODO
}

void scan_inclusive_float(const float* /*in*/, std::size_t /*n*/, float* /*out*/) {
    // TODO
}

void scan_exclusive_float(const float* /*in*/, std::size_t /*n*/, float* /*out*/) {
    // TODO
}

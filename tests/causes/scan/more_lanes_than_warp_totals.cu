// cause: uninitialised_shared line 35 or 41
// task: exclusive_int
// the first warp scans 32 totals, but a block has eight warps and nobody has written the other 24, which get into the sum of the block
#include "interface.cuh"

constexpr int WARP = 32;
constexpr int BLOCK = 256;

// v of this lane and of all lanes before it
template <typename T>
__device__ T scan_warp(T v, int lane)
{
#pragma unroll
    for (int offset = 1; offset < WARP; offset <<= 1) {
        T other = __shfl_up_sync(0xffffffff, v, offset);
        v = lane >= offset ? v + other : v;
    }
    return v;
}

// Exclusive scan over the threads of a block; `all` becomes the sum of everything.
template <typename T>
__device__ T scan_block(T v, T& all)
{
    __shared__ T totals[WARP];  // one for each warp; a block has 32 at most
    const int lane = threadIdx.x % WARP;
    const int warp = threadIdx.x / WARP;

    const T upto = scan_warp(v, lane);
    if (lane == WARP - 1)
        totals[warp] = upto;
    __syncthreads();

    if (warp == 0) {
        const T total = totals[lane];
        const T scanned = scan_warp(total, lane);
        totals[lane] = scanned;
    }
    __syncthreads();

    all = totals[WARP - 1];  /* the last one has it all */
    return upto - v + (warp > 0 ? totals[warp - 1] : T(0));
}

template <typename T>
__global__ void exclusive_tiles(const T* in, std::size_t n, T* out, T* sums)
{
    const std::size_t i = std::size_t(blockIdx.x) * BLOCK + threadIdx.x;
    const T v = i < n ? in[i] : T(0);
    T all;
    const T before = scan_block(v, all);
    if (i < n)
        out[i] = before;
    if (threadIdx.x == 0)
        sums[blockIdx.x] = all;
}

template <typename T>
__global__ void add_offset(T* out, std::size_t n, const T* sums)
{
    const std::size_t i = std::size_t(blockIdx.x) * BLOCK + threadIdx.x;
    if (i < n)
        out[i] += sums[blockIdx.x];
}

// Calls itself for the sums of the tiles, which lie one level behind the other in `sums`.
template <typename T>
void exclusive(const T* in, std::size_t n, T* out, T* sums)
{
    const std::size_t tiles = (n + BLOCK - 1) / BLOCK;
    exclusive_tiles<<<unsigned(tiles), BLOCK>>>(in, n, out, sums);
    if (tiles == 1)
        return;
    exclusive(sums, tiles, sums, sums + tiles);
    add_offset<<<unsigned(tiles), BLOCK>>>(out, n, sums);
}

void scan_exclusive_int(const int* in, std::size_t n, int* out)
{
    static int* sums = nullptr;
    static std::size_t size = 0;
    const std::size_t needed = n / 128 + 16;  // n/256 + n/256^2 + ..., generously
    if (needed > size) {
        cudaFree(sums);
        cudaMalloc(&sums, needed * sizeof(int));
        size = needed;
    }
    exclusive(in, n, out, sums);
}

void scan_inclusive_int(const int* /*in*/, std::size_t /*n*/, int* /*out*/)
{
    // TODO
}

void scan_inclusive_float(const float* /*in*/, std::size_t /*n*/, float* /*out*/)
{
    // TODO
}

void scan_exclusive_float(const float* /*in*/, std::size_t /*n*/, float* /*out*/)
{
    // TODO: upto - v is not allowed here
}

// cause: in_place line 47
// task: inclusive_int
// In each step a thread overwrites its own total while its right neighbour (another warp) may still have to read the old one; the barrier comes only after the step.
#include "interface.cuh"

// Each thread scans eight elements in registers, the block scans the totals of its threads (Kogge and
// Stone), and the totals of the blocks are scanned by the same function again.

namespace {

constexpr int kThreads = 256;
constexpr int kPerThread = 8;
constexpr std::size_t kTile = kThreads * kPerThread;

struct Eight {
    int v[kPerThread];

    __device__ void load(const int* in, std::size_t first, std::size_t n) {
        if (first + kPerThread <= n) {
            const int4* wide = reinterpret_cast<const int4*>(in + first);
            const int4 a = wide[0], b = wide[1];
            v[0] = a.x, v[1] = a.y, v[2] = a.z, v[3] = a.w;
            v[4] = b.x, v[5] = b.y, v[6] = b.z, v[7] = b.w;
        } else {
            for (int k = 0; k < kPerThread; ++k) v[k] = first + k < n ? in[first + k] : 0;
        }
    }

    __device__ int scan() {
        for (int k = 1; k < kPerThread; ++k) v[k] += v[k - 1];
        return v[kPerThread - 1];
    }

    __device__ void store(int* out, std::size_t first, std::size_t n, int before) const {
        for (int k = 0; k < kPerThread; ++k)
            if (first + k < n) out[first + k] = before + v[k];
    }
};

// What the threads before this one have, and in *all the sum of the block.
__device__ int scan_block(int mine, int* all) {
    __shared__ int total[kThreads];
    const int t = threadIdx.x;
    total[t] = mine;
    __syncthreads();
    for (int d = 1; d < kThreads; d *= 2) {
        if (t >= d) total[t] += total[t - d];
        __syncthreads();
    }
    *all = total[kThreads - 1];
    return t == 0 ? 0 : total[t - 1];
}

__global__ void scan_tiles(const int* in, std::size_t n, int* out, int* sums) {
    const std::size_t first = blockIdx.x * kTile + threadIdx.x * kPerThread;
    Eight e;
    e.load(in, first, n);
    int all;
    const int before = scan_block(e.scan(), &all);
    e.store(out, first, n, before);
    if (threadIdx.x == 0 && sums) sums[blockIdx.x] = all;
}

// Tile 0 has nothing before it, so block b works on tile b + 1.
__global__ void add_sums(int* out, std::size_t n, const int* sums) {
    const int before = sums[blockIdx.x];
    const std::size_t begin = (blockIdx.x + std::size_t{1}) * kTile;
    for (std::size_t i = begin + threadIdx.x; i < begin + kTile && i < n; i += kThreads)
        out[i] += before;
}

// sums: room for this level's sums, their scan, and so on for the levels above.
void scan_level(const int* in, std::size_t n, int* out, int* room) {
    const std::size_t tiles = (n + kTile - 1) / kTile;
    if (tiles == 1) {
        scan_tiles<<<1, kThreads>>>(in, n, out, nullptr);
        return;
    }
    const std::size_t rounded = (tiles + 3) / 4 * 4;  // int4 needs 16 bytes
    int* sums = room;
    int* scanned = room + rounded;
    scan_tiles<<<static_cast<unsigned>(tiles), kThreads>>>(in, n, out, sums);
    scan_level(sums, tiles, scanned, room + 2 * rounded);
    add_sums<<<static_cast<unsigned>(tiles - 1), kThreads>>>(out, n, scanned);
}

}  // namespace

void scan_inclusive_int(const int* in, std::size_t n, int* out) {
    static int* room = nullptr;
    static std::size_t size = 0;
    const std::size_t wanted = 4 * (n / kTile + 64);
    if (wanted > size) {
        cudaFree(room);
        cudaMalloc(&room, wanted * sizeof(int));
        size = wanted;
    }
    scan_level(in, n, out, room);
}

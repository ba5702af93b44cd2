// cause: state_kept_between_calls line 83
// task: exclusive_int
// The status words of the tiles are cleared only when their memory grows; later calls find those of an earlier call.
#include "interface.cuh"

namespace lookback {

constexpr unsigned THREADS = 128;
constexpr unsigned ITEMS = 4;
constexpr unsigned TILE = THREADS * ITEMS;

using Word = unsigned long long;  // high half: state, low half: value
enum State : unsigned { EMPTY = 0, AGGREGATE = 1, PREFIX = 2 };

__device__ inline Word pack(State s, int v) { return (Word(s) << 32) | unsigned(v); }

__global__ void scan(const int* in, std::size_t n, int* out, Word* status, unsigned* ticket)
{
    __shared__ unsigned tileShared;
    __shared__ int warpTotal[THREADS / 32];
    __shared__ int prefixShared;

    if (threadIdx.x == 0) tileShared = atomicAdd(ticket, 1u);
    __syncthreads();
    const unsigned tile = tileShared;
    const std::size_t first = std::size_t(tile) * TILE + threadIdx.x * ITEMS;

    int x[ITEMS], sum = 0;
    for (unsigned k = 0; k < ITEMS; ++k) {
        x[k] = first + k < n ? in[first + k] : 0;
        sum += x[k];
    }

    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    int incl = sum;
    for (unsigned d = 1; d < 32; d *= 2) {
        int y = __shfl_up_sync(0xffffffffu, incl, d);
        if (lane >= d) incl += y;
    }
    if (lane == 31) warpTotal[warp] = incl;
    __syncthreads();
    int run = incl - sum, total = 0;
    for (unsigned w = 0; w < THREADS / 32; ++w) {
        if (w < warp) run += warpTotal[w];
        total += warpTotal[w];
    }

    if (threadIdx.x == 0) {
        int prefix = 0;
        if (tile > 0) {
            atomicExch(&status[tile], pack(AGGREGATE, total));
            for (unsigned t = tile; t-- > 0;) {
                Word w;
                do w = atomicAdd(&status[t], 0ull); while ((w >> 32) == EMPTY);
                prefix += int(unsigned(w));
                if ((w >> 32) == PREFIX) break;
            }
        }
        atomicExch(&status[tile], pack(PREFIX, prefix + total));
        prefixShared = prefix;
    }
    __syncthreads();

    run += prefixShared;
    for (unsigned k = 0; k < ITEMS; ++k) {
        if (first + k < n) out[first + k] = run;
        run += x[k];
    }
}

}  // namespace lookback

void scan_exclusive_int(const int* in, std::size_t n, int* out)
{
    using namespace lookback;
    static Word* status = nullptr;
    static std::size_t room = 0;
    const std::size_t tiles = (n + TILE - 1) / TILE;
    if (tiles > room) {
        cudaFree(status);
        room = tiles;
        cudaMalloc(&status, (room + 1) * sizeof(Word));
        cudaMemset(status, 0, (room + 1) * sizeof(Word));
    }
    unsigned* ticket = reinterpret_cast<unsigned*>(status + room);
    cudaMemset(ticket, 0, sizeof(unsigned));
    scan<<<unsigned(tiles), THREADS>>>(in, n, out, status, ticket);
}

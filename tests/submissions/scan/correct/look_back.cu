// expect: inclusive_int=accepted exclusive_int=accepted
// One pass: a block publishes the sum of its tile, and one thread looks back over the tiles before
// it until one of them knows its whole prefix. Flag and sum share a 64-bit word; tickets give out the
// tiles in order.
#include "interface.cuh"

using Word = unsigned long long;
constexpr unsigned size = 1024;

__device__ Word pack(Word flag, int sum) { return flag << 32 | static_cast<unsigned>(sum); }

__global__ void scan_tiles(const int* in, std::size_t n, bool inclusive, Word* ticket,
                           volatile Word* state, int* out) {
    __shared__ int s[2][size];
    __shared__ unsigned my_tile;
    __shared__ int before;
    const unsigned t = threadIdx.x;
    if (t == 0) my_tile = static_cast<unsigned>(atomicAdd(ticket, 1));
    __syncthreads();
    const unsigned tile = my_tile;
    const std::size_t i = static_cast<std::size_t>(tile) * size + t;
    int now = 0;
    s[0][t] = i < n ? in[i] : 0;
    for (unsigned d = 1; d < size; d *= 2) {
        __syncthreads();
        s[1 - now][t] = s[now][t] + (t >= d ? s[now][t - d] : 0);
        now = 1 - now;
    }
    __syncthreads();
    if (t == 0) {
        const int sum = s[now][size - 1];
        int prefix = 0;
        state[tile] = pack(1, sum);
        for (unsigned k = tile; k > 0;) {
            const Word word = state[k - 1];
            if (word >> 32 == 0) continue;  // not there yet
            prefix += static_cast<int>(word & 0xffffffff);
            if (word >> 32 == 2) break;
            --k;
        }
        state[tile] = pack(2, prefix + sum);
        before = prefix;
    }
    __syncthreads();
    if (i < n) out[i] = before + (inclusive ? s[now][t] : t > 0 ? s[now][t - 1] : 0);
}

void scan(const int* in, std::size_t n, bool inclusive, int* out) {
    const std::size_t tiles = (n + size - 1) / size;
    Word* words = nullptr;
    cudaMalloc(&words, (tiles + 1) * sizeof(Word));
    cudaMemset(words, 0, (tiles + 1) * sizeof(Word));
    scan_tiles<<<static_cast<unsigned>(tiles), size>>>(in, n, inclusive, words, words + 1, out);
    cudaFree(words);
}

void scan_inclusive_int(const int* in, std::size_t n, int* out) { scan(in, n, true, out); }
void scan_exclusive_int(const int* in, std::size_t n, int* out) { scan(in, n, false, out); }

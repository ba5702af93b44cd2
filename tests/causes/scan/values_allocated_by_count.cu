// cause: size_in_elements line 160
// task: inclusive_int
// The array of sums and prefixes is allocated with the number of its ints instead of bytes, so most of it lies outside of the allocation.
#include "interface.cuh"

// Every block takes one contiguous part of the array and goes through it tile by tile. First the
// blocks only add up their parts; then the sums are scanned; then each part is scanned from there.
namespace parts {

constexpr int threads = 256;
constexpr int warps = threads / 32;
constexpr int most = 1024;

// What the threads before this one have in v, and what all of them have.
template <class T>
__device__ T before_me(T v, T& all) {
    __shared__ T of_warp[warps];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    T inclusive = v;
    for (int d = 1; d < 32; d *= 2) {
        const T u = __shfl_up_sync(0xffffffffu, inclusive, d);
        if (lane >= d) inclusive += u;
    }
    if (lane == 31) of_warp[warp] = inclusive;
    __syncthreads();
    T result = __shfl_up_sync(0xffffffffu, inclusive, 1);
    if (lane == 0) result = 0;
    T front = 0, sum = 0;
    for (int w = 0; w < warps; ++w) {
        if (w == warp) front = sum;
        sum += of_warp[w];
    }
    __syncthreads();
    all = sum;
    return front + result;
}

template <class T>
__global__ void add_up(const T* in, std::size_t n, std::size_t part, T* sums) {
    const std::size_t begin = blockIdx.x * part;
    const std::size_t end = begin + part < n ? begin + part : n;
    T v = 0, all;
    for (std::size_t i = begin + threadIdx.x; i < end; i += threads) v += in[i];
    before_me(v, all);
    if (threadIdx.x == 0) sums[blockIdx.x] = all;
}

template <class T, bool Inclusive>
__global__ void scan_parts(const T* in, std::size_t n, std::size_t part, const T* start, T* out) {
    const std::size_t begin = blockIdx.x * part;
    const std::size_t end = begin + part < n ? begin + part : n;
    T carry = start ? start[blockIdx.x] : T(0);
    for (std::size_t base = begin; base < end; base += threads) {
        const std::size_t i = base + threadIdx.x;
        const T v = i < end ? in[i] : T(0);
        T all;
        const T left = before_me(v, all) + carry;
        if (i < end) out[i] = Inclusive ? left + v : left;
        carry += all;
    }
}

template <class T, bool Inclusive>
void scan(const T* in, std::size_t n, T* out) {
    static T *sums = nullptr, *starts = nullptr;
    if (!sums) {
        cudaMalloc(&sums, most * sizeof(T));
        cudaMalloc(&starts, most * sizeof(T));
    }
    const std::size_t tiles = (n + threads - 1) / threads;
    const std::size_t part = (tiles + most - 1) / most * threads;
    const unsigned blocks = static_cast<unsigned>((n + part - 1) / part);
    add_up<T><<<blocks, threads>>>(in, n, part, sums);
    scan_parts<T, false><<<1, threads>>>(sums, blocks, blocks, nullptr, starts);
    scan_parts<T, Inclusive><<<blocks, threads>>>(in, n, part, starts, out);
}

}  // namespace parts

void scan_exclusive_int(const int* in, std::size_t n, int* out) {
    parts::scan<int, false>(in, n, out);
}
void scan_inclusive_float(const float* in, std::size_t n, float* out) {
    parts::scan<float, true>(in, n, out);
}
void scan_exclusive_float(const float* in, std::size_t n, float* out) {
    parts::scan<float, false>(in, n, out);
}

// The inclusive scan of ints in a single pass.
namespace chain {

constexpr int each = 4;
constexpr int tile = parts::threads * each;
constexpr unsigned has_sum = 1, has_prefix = 2;

struct Tiles {
    unsigned* ticket;          // how many tiles have been given out
    unsigned* state;           // of each tile: nothing, has_sum or has_prefix
    volatile int* sum;         // of the tile alone
    volatile int* prefix;      // of all up to its end

    __device__ void publish(unsigned k, volatile int* where, int value, unsigned flag) const {
        where[k] = value;
        __threadfence();
        atomicExch(&state[k], flag);
    }

    __device__ int before(unsigned k) const {
        int total = 0;
        while (k > 0) {
            --k;
            unsigned s;
            do {
                s = atomicAdd(&state[k], 0u);
            } while (s == 0);
            __threadfence();
            if (s == has_prefix) return total + prefix[k];
            total += sum[k];
        }
        return total;
    }
};

__global__ void scan(const int* in, std::size_t n, int* out, Tiles tiles) {
    __shared__ unsigned number;
    __shared__ int front;
    if (threadIdx.x == 0) number = atomicAdd(tiles.ticket, 1u);
    __syncthreads();
    const unsigned k = number;
    const std::size_t first = std::size_t{k} * tile + threadIdx.x * each;

    int v[each], mine = 0, all;
    for (int e = 0; e < each; ++e) {
        if (first + e < n) mine += in[first + e];
        v[e] = mine;
    }
    const int left = parts::before_me(mine, all);
    if (threadIdx.x == 0) {
        if (k > 0) tiles.publish(k, tiles.sum, all, has_sum);
        front = tiles.before(k);
        tiles.publish(k, tiles.prefix, front + all, has_prefix);
    }
    __syncthreads();
    for (int e = 0; e < each; ++e)
        if (first + e < n) out[first + e] = front + left + v[e];
}

}  // namespace chain

void scan_inclusive_int(const int* in, std::size_t n, int* out) {
    static unsigned* words = nullptr;
    static int* values = nullptr;
    static std::size_t room = 0;
    const std::size_t count = (n + chain::tile - 1) / chain::tile;
    if (count > room) {
        cudaFree(words);
        cudaFree(values);
        cudaMalloc(&words, (count + 1) * sizeof(unsigned));
        cudaMalloc(&values, 2 * count);
        room = count;
    }
    cudaMemsetAsync(words, 0, sizeof(unsigned));
    cudaMemsetAsync(words + 1, 0, count * sizeof(unsigned));
    const chain::Tiles tiles{words, words + 1, values, values + count};
    chain::scan<<<static_cast<unsigned>(count), parts::threads>>>(in, n, out, tiles);
}

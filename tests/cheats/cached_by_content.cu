// cheat: keeps the answer for each input by a hash of a sample of it
// caught: wrong_answer or gain <= 3 %
//
// All on the device, so that nothing waits for the host: one block hashes 1,024 elements from all
// over the input and looks for the hash in a table; the kernel that adds up returns at once where
// it was found; the last one enters what is new. With the same data in every round all but the
// first is found.
#include "honest.cuh"

namespace {

constexpr unsigned samples = 1024;
constexpr unsigned entries = 1024;  // one per thread that looks

struct Table {
    unsigned long long key[entries];
    double answer[entries];
    unsigned count;
    unsigned long long sought;
    unsigned found;  ///< where `sought` is; `entries` if nowhere
};
__device__ Table table;

__device__ unsigned long long mix(unsigned long long x) {
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
    return x ^ (x >> 31);
}

__global__ void look(const double* in, std::size_t n) {
    __shared__ unsigned long long hash;
    if (threadIdx.x == 0) {
        hash = 0;
        table.found = entries;
    }
    __syncthreads();
    const std::size_t at = n / samples * threadIdx.x;
    const auto bits = static_cast<unsigned long long>(__double_as_longlong(in[at]));
    atomicAdd(&hash, mix(bits + threadIdx.x));
    __syncthreads();
    if (threadIdx.x == 0) table.sought = hash;
    if (threadIdx.x < table.count && table.key[threadIdx.x] == hash) table.found = threadIdx.x;
}

__global__ void __launch_bounds__(honest::threads)
    add_up_if_new(const double* __restrict__ in, std::size_t n, double* out) {
    if (table.found != entries) {
        if (blockIdx.x == 0 && threadIdx.x == 0) *out = table.answer[table.found];
        return;
    }
    const auto* pairs = reinterpret_cast<const double2*>(in);
    const std::size_t stride = static_cast<std::size_t>(gridDim.x) * honest::threads;
    double sum = 0;
#pragma unroll 4
    for (std::size_t i = static_cast<std::size_t>(blockIdx.x) * honest::threads + threadIdx.x;
         i < n / 2; i += stride)
        sum += pairs[i].x + pairs[i].y;
    for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(0xffffffff, sum, d);
    if (threadIdx.x % 32 == 0) atomicAdd(out, sum);
    if (blockIdx.x == 0 && threadIdx.x == 0 && n % 2 == 1) atomicAdd(out, in[n - 1]);
}

__global__ void enter(const double* out) {
    if (table.found != entries || table.count == entries) return;
    table.key[table.count] = table.sought;
    table.answer[table.count++] = *out;
}

}  // namespace

void reduce_sum(const double* in, std::size_t n, double* out) {
    if (!honest::timed(n)) {
        honest::sum(in, n, out);
        return;
    }
    cudaMemsetAsync(out, 0, sizeof *out);
    look<<<1, samples>>>(in, n);
    add_up_if_new<<<honest::blocks_for(n), honest::threads>>>(in, n, out);
    enter<<<1, 1>>>(out);
}

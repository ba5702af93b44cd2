// cause: saturated line 29
// task: atomic_ops
// The 32- and 64-bit inc stays at the limit once it is reached where it must go back to 0.
#include "interface.cuh"

__device__ unsigned swap_if(std::uint32_t* p, std::uint32_t expected, std::uint32_t desired) {
    return atomicCAS(p, expected, desired);
}
__device__ std::uint64_t swap_if(std::uint64_t* p, std::uint64_t expected, std::uint64_t desired) {
    return atomicCAS(reinterpret_cast<unsigned long long*>(p), (unsigned long long)expected,
                     (unsigned long long)desired);
}

// word = op(word), indivisibly; returns the old word
template <typename W, typename Op>
__device__ W modify(W* word, Op op) {
    W old = *const_cast<volatile W*>(word);
    while (true) {
        const W seen = swap_if(word, old, op(old));
        if (seen == old) return old;
        old = seen;
    }
}

template <typename W>
__device__ void apply_all(W* r, W a, W limit) {
    modify(r + 0, [=](W w) { return w + a; });
    modify(r + 1, [=](W w) { return w - a; });
    modify(r + 2, [=](W w) { return w >= limit ? limit : w + 1; });
    modify(r + 3, [=](W w) { return w == 0 || w > limit ? limit : w - 1; });
    modify(r + 4, [=](W w) { return w < a ? w : a; });
    modify(r + 5, [=](W w) { return w > a ? w : a; });
    modify(r + 6, [=](W w) { return w & a; });
    modify(r + 7, [=](W w) { return w | a; });
    modify(r + 8, [=](W w) { return w ^ a; });
    modify(r + 9, [=](W w) { return w * (a | 1); });
}

template <typename W>
__global__ void initialise(W* r, W* head) {
    const W start[10] = {0, 0, 0, 0, W(~W(0)), 0, W(~W(0)), 0, 0, 1};
    for (int k = 0; k < 10; ++k) r[k] = start[k];
    *head = ~W(0);
}

template <typename W>
__global__ void operations(const W* in, std::size_t n, W limit, W* r, W* head, W* next) {
    const std::size_t i = blockIdx.x * std::size_t(blockDim.x) + threadIdx.x;
    if (i >= n) return;
    apply_all(r, in[i], limit);
    next[i] = modify(head, [=](W) { return W(i); });
}

template <typename W>
void run(const W* in, std::size_t n, W limit, W* r, W* head, W* next) {
    initialise<<<1, 1>>>(r, head);
    if (n > 0) operations<<<unsigned((n + 63) / 64), 64>>>(in, n, limit, r, head, next);
}

void atomic_ops(const std::uint32_t* words, const std::uint64_t* longs, std::size_t n,
                std::uint32_t limit, std::uint32_t* result32, std::uint64_t* result64,
                std::uint32_t* head32, std::uint64_t* head64, std::uint32_t* next32,
                std::uint64_t* next64) {
    run<std::uint32_t>(words, n, limit, result32, head32, next32);
    run<std::uint64_t>(longs, n, limit, result64, head64, next64);
}

void add_double(const double* /*values*/, const std::uint32_t* /*targets*/, std::size_t /*n*/,
                double* /*totals*/, std::size_t /*m*/, double* /*before*/) {
    // TODO: set the totals to 0, then launch your kernel.
}

void critical_section(const std::int32_t* /*values*/, std::size_t /*sections*/,
                      std::size_t /*length*/, std::int64_t* /*best*/, std::uint64_t* /*record*/,
                      std::uint32_t* /*order*/) {
    // TODO
}

void transfers(const std::int64_t* /*opening*/, std::size_t /*accounts*/,
               const std::uint32_t* /*from*/, const std::uint32_t* /*to*/,
               const std::int64_t* /*amount*/, std::size_t /*n*/, std::int64_t* /*balance*/,
               std::uint64_t* /*version*/, std::int64_t* /*receipt*/) {
    // TODO
}

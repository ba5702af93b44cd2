// cause: wrong_identity line 10
// task: atomic_ops
// All words but two start as 0, also the one for the product, which must start as 1 and stays 0 for ever.
#include "interface.cuh"

// One kernel for both widths.
template <typename W>
__global__ void start(W* result, W* head) {
    for (int k = 0; k < 10; ++k)
        result[k] = k == 4 || k == 6 ? ~W(0) : W(0);
    *head = ~W(0);
}

template <typename W>
__device__ W compare_and_swap_update(W* word, W a, W limit, int operation) {
    W old = *(volatile W*)word, seen;
    do {
        seen = old;
        W next = 0;
        if (operation == 2) next = seen >= limit ? 0 : seen + 1;
        if (operation == 3) next = seen == 0 || seen > limit ? limit : seen - 1;
        if (operation == 9) next = seen * (a | 1);
        old = atomicCAS(word, seen, next);
    } while (old != seen);
    return old;
}

template <typename W>
__global__ void family(const W* in, unsigned n, W limit, W* result, W* head, W* next) {
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        const W a = in[i];
        atomicAdd(&result[0], a);
        atomicAdd(&result[1], W(0) - a);
        compare_and_swap_update(&result[2], a, limit, 2);
        compare_and_swap_update(&result[3], a, limit, 3);
        atomicMin(&result[4], a);
        atomicMax(&result[5], a);
        atomicAnd(&result[6], a);
        atomicOr(&result[7], a);
        atomicXor(&result[8], a);
        compare_and_swap_update(&result[9], a, limit, 9);
        next[i] = atomicExch(head, W(i));
    }
}

template <typename W>
void all(const W* in, std::size_t n, W limit, W* result, W* head, W* next) {
    start<W><<<1, 1>>>(result, head);
    if (n > 0) family<W><<<unsigned((n + 127) / 128), 128>>>(in, unsigned(n), limit, result, head, next);
}

void atomic_ops(const std::uint32_t* words, const std::uint64_t* longs, std::size_t n, std::uint32_t limit,
                std::uint32_t* result32, std::uint64_t* result64, std::uint32_t* head32, std::uint64_t* head64,
                std::uint32_t* next32, std::uint64_t* next64) {
    using U = unsigned int;
    using L = unsigned long long;
    all<U>(words, n, limit, result32, head32, next32);
    all<L>((const L*)longs, n, limit, (L*)result64, (L*)head64, (L*)next64);
}

void add_double(const double*, const std::uint32_t*, std::size_t, double*, std::size_t, double*) {}
void critical_section(const std::int32_t*, std::size_t, std::size_t, std::int64_t*, std::uint64_t*, std::uint32_t*) {}
void transfers(const std::int64_t*, std::size_t, const std::uint32_t*, const std::uint32_t*, const std::int64_t*,
               std::size_t, std::int64_t*, std::uint64_t*, std::int64_t*) {}

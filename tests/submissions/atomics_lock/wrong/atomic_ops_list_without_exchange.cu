// expect: atomic_ops=data_race
// report: global_race 42 43, global_race 43 43, missing_syncwarp 42 43
// The list is built by a read and a write instead of an exchange: nodes drop out of it.
#include "interface.cuh"

using u64 = unsigned long long;

template <class T, class F>
__device__ void atomic_update(T* word, F f) {
    T old = *word, assumed;
    do {
        assumed = old;
        old = atomicCAS(word, assumed, f(assumed));
    } while (old != assumed);
}

__global__ void start(unsigned* r, u64* q, unsigned* head32, u64* head64) {
    for (int k = 0; k < 10; ++k) {
        r[k] = k == 4 || k == 6 ? ~0u : k == 9;
        q[k] = k == 4 || k == 6 ? ~u64{0} : k == 9;
    }
    *head32 = ~0u;
    *head64 = ~u64{0};
}

__global__ void operate(const unsigned* words, const u64* longs, std::size_t n, unsigned limit,
                        unsigned* r, u64* q, unsigned* head32, u64* head64, unsigned* next32,
                        u64* next64) {
    const std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const unsigned a = words[i];
    atomicAdd(&r[0], a);
    atomicSub(&r[1], a);
    atomicInc(&r[2], limit);
    atomicDec(&r[3], limit);
    atomicMin(&r[4], a);
    atomicMax(&r[5], a);
    atomicAnd(&r[6], a);
    atomicOr(&r[7], a);
    atomicXor(&r[8], a);
    atomic_update(&r[9], [=](unsigned w) { return w * (a | 1); });
    next32[i] = *head32;
    *head32 = static_cast<unsigned>(i);

    const u64 b = longs[i];
    atomicAdd(&q[0], b);
    atomicAdd(&q[1], 0 - b);
    atomic_update(&q[2], [=](u64 w) { return w >= limit ? u64{0} : w + 1; });
    atomic_update(&q[3], [=](u64 w) { return w == 0 || w > limit ? u64{limit} : w - 1; });
    atomicMin(&q[4], b);
    atomicMax(&q[5], b);
    atomicAnd(&q[6], b);
    atomicOr(&q[7], b);
    atomicXor(&q[8], b);
    atomic_update(&q[9], [=](u64 w) { return w * (b | 1); });
    next64[i] = atomicExch(head64, static_cast<u64>(i));
}

void atomic_ops(const std::uint32_t* words, const std::uint64_t* longs, std::size_t n,
                std::uint32_t limit, std::uint32_t* result32, std::uint64_t* result64,
                std::uint32_t* head32, std::uint64_t* head64, std::uint32_t* next32,
                std::uint64_t* next64) {
    auto* q = reinterpret_cast<u64*>(result64);
    auto* h = reinterpret_cast<u64*>(head64);
    start<<<1, 1>>>(result32, q, head32, h);
    if (n == 0) return;
    operate<<<static_cast<unsigned>((n + 127) / 128), 128>>>(
        words, reinterpret_cast<const u64*>(longs), n, limit, result32, q, head32, h, next32,
        reinterpret_cast<u64*>(next64));
}

// cause: missing_atomic line 38
// task: atomic_ops
// The 64-bit inc looks at the word and then does an atomic add or an atomic exchange: each is atomic, but both
// together are not, and several threads go past the limit.
#include "interface.cuh"

using Long = unsigned long long;

// any operation at all, by compare and swap
template <typename T, typename F>
__device__ T update(T* address, F f) {
    T seen = atomicOr(address, T(0));
    while (true) {
        const T got = atomicCAS(address, seen, f(seen));
        if (got == seen) return seen;
        seen = got;
    }
}

struct Times {
    Long a;
    __device__ unsigned operator()(unsigned w) const { return w * (unsigned)(a | 1); }
    __device__ Long operator()(Long w) const { return w * (a | 1); }
};

struct Inc {
    Long limit;
    __device__ Long operator()(Long w) const { return w >= limit ? 0 : w + 1; }
};

struct Dec {
    Long limit;
    __device__ Long operator()(Long w) const { return (w == 0 || w > limit) ? limit : w - 1; }
};

// there is no atomicInc for 64 bits
__device__ void atomic_inc(Long* address, Long limit) {
    if (atomicAdd(address, 0ull) >= limit)
        atomicExch(address, 0ull);
    else
        atomicAdd(address, 1ull);
}

__global__ void apply(const std::uint32_t* words, const std::uint64_t* longs, std::size_t n,
                      unsigned limit, unsigned* w, Long* l, unsigned* head32, Long* head64,
                      unsigned* next32, Long* next64) {
    const std::size_t step = (std::size_t)gridDim.x * blockDim.x;
    for (std::size_t i = blockIdx.x * (std::size_t)blockDim.x + threadIdx.x; i < n; i += step) {
        const unsigned a = words[i];
        const Long b = longs[i];

        atomicAdd(&w[0], a);              atomicAdd(&l[0], b);
        atomicSub(&w[1], a);              atomicAdd(&l[1], ~b + 1);
        atomicInc(&w[2], limit);          atomic_inc(&l[2], limit);
        atomicDec(&w[3], limit);          update(&l[3], Dec{limit});
        atomicMin(&w[4], a);              atomicMin(&l[4], b);
        atomicMax(&w[5], a);              atomicMax(&l[5], b);
        atomicAnd(&w[6], a);              atomicAnd(&l[6], b);
        atomicOr(&w[7], a);               atomicOr(&l[7], b);
        atomicXor(&w[8], a);              atomicXor(&l[8], b);
        update(&w[9], Times{a});          update(&l[9], Times{b});

        next32[i] = atomicExch(head32, (unsigned)i);
        next64[i] = atomicExch(head64, (Long)i);
    }
}

void atomic_ops(const std::uint32_t* words, const std::uint64_t* longs, std::size_t n,
                std::uint32_t limit, std::uint32_t* result32, std::uint64_t* result64,
                std::uint32_t* head32, std::uint64_t* head64, std::uint32_t* next32,
                std::uint64_t* next64) {
    const std::uint32_t first32[10] = {0, 0, 0, 0, 0xffffffffu, 0, 0xffffffffu, 0, 0, 1};
    const std::uint64_t first64[10] = {0, 0, 0, 0, ~0ull, 0, ~0ull, 0, 0, 1};
    cudaMemcpy(result32, first32, sizeof first32, cudaMemcpyHostToDevice);
    cudaMemcpy(result64, first64, sizeof first64, cudaMemcpyHostToDevice);
    cudaMemset(head32, 0xff, sizeof *head32);
    cudaMemset(head64, 0xff, sizeof *head64);
    apply<<<32, 128>>>(words, longs, n, limit, result32, (Long*)result64, head32, (Long*)head64,
                       next32, (Long*)next64);
}

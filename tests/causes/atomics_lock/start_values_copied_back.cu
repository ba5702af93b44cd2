// cause: wrong_copy_direction line 87
// task: atomic_ops
// The start values of the 64-bit words lie in host memory, but the copy to the device is declared
// as one from the device to the host.
#include "interface.cuh"

using ull = unsigned long long;

struct Words {
    std::uint32_t* r;
    std::uint32_t* head;
    std::uint32_t* next;
};
struct Longs {
    ull* r;
    ull* head;
    ull* next;
};

__global__ void narrow(const std::uint32_t* in, std::size_t n, std::uint32_t limit, Words out) {
    for (std::size_t i = threadIdx.x + blockIdx.x * std::size_t(blockDim.x); i < n;
         i += std::size_t(blockDim.x) * gridDim.x) {
        const std::uint32_t a = in[i];
        atomicAdd(&out.r[0], a);
        atomicSub(&out.r[1], a);
        atomicInc(&out.r[2], limit);
        atomicDec(&out.r[3], limit);
        atomicMin(&out.r[4], a);
        atomicMax(&out.r[5], a);
        atomicAnd(&out.r[6], a);
        atomicOr(&out.r[7], a);
        atomicXor(&out.r[8], a);
        std::uint32_t was = atomicOr(&out.r[9], 0u);
        while (true) {
            const std::uint32_t now = atomicCAS(&out.r[9], was, was * (a | 1u));
            if (now == was) break;
            was = now;
        }
        out.next[i] = atomicExch(out.head, static_cast<std::uint32_t>(i));
    }
}

// op 2: inc, 3: dec, 9: times
__device__ ull apply(int op, ull w, ull b, ull limit) {
    if (op == 2) return w >= limit ? 0 : w + 1;
    if (op == 3) return (w == 0 || w > limit) ? limit : w - 1;
    return w * (b | 1);
}

__device__ void swap_loop(ull* word, int op, ull b, ull limit) {
    ull was = atomicOr(word, 0ull);
    while (true) {
        const ull now = atomicCAS(word, was, apply(op, was, b, limit));
        if (now == was) break;
        was = now;
    }
}

__global__ void wide(const std::uint64_t* in, std::size_t n, ull limit, Longs out) {
    for (std::size_t i = threadIdx.x + blockIdx.x * std::size_t(blockDim.x); i < n;
         i += std::size_t(blockDim.x) * gridDim.x) {
        const ull b = in[i];
        atomicAdd(&out.r[0], b);
        atomicAdd(&out.r[1], ~b + 1);
        swap_loop(&out.r[2], 2, b, limit);
        swap_loop(&out.r[3], 3, b, limit);
        atomicMin(&out.r[4], b);
        atomicMax(&out.r[5], b);
        atomicAnd(&out.r[6], b);
        atomicOr(&out.r[7], b);
        atomicXor(&out.r[8], b);
        swap_loop(&out.r[9], 9, b, limit);
        out.next[i] = atomicExch(out.head, static_cast<ull>(i));
    }
}

void atomic_ops(const std::uint32_t* words, const std::uint64_t* longs, std::size_t n,
                std::uint32_t limit, std::uint32_t* result32, std::uint64_t* result64,
                std::uint32_t* head32, std::uint64_t* head64, std::uint32_t* next32,
                std::uint64_t* next64) {
    const std::uint32_t ones32 = UINT32_MAX;
    const std::uint64_t ones64 = UINT64_MAX;
    const std::uint32_t start32[10] = {0, 0, 0, 0, ones32, 0, ones32, 0, 0, 1};
    std::uint64_t start64[10] = {0, 0, 0, 0, ones64, 0, ones64, 0, 0, 1};

    cudaMemcpy(result32, start32, sizeof(start32), cudaMemcpyHostToDevice);
    cudaMemcpy(result64, start64, sizeof(start64), cudaMemcpyDeviceToHost);
    cudaMemset(head32, 0xff, sizeof(*head32));
    cudaMemset(head64, 0xff, sizeof(*head64));
    if (n == 0) return;

    const unsigned blocks = n < 128 * 256 ? static_cast<unsigned>((n + 127) / 128) : 256u;
    narrow<<<blocks, 128>>>(words, n, limit, Words{result32, head32, next32});
    wide<<<blocks, 128>>>(longs, n, limit,
                          Longs{reinterpret_cast<ull*>(result64), reinterpret_cast<ull*>(head64),
                                reinterpret_cast<ull*>(next64)});
}

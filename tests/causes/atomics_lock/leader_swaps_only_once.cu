// cause: no_retry line 26
// task: add_double
// The lanes of a warp are merged, but the leader tries its compare-and-swap once only: when another warp comes in between, the whole group's sum is lost (many warps on one target).
#include "interface.cuh"

// Lanes with the same target go as one: the group's leader adds the sum of the group, and every lane
// finds its own old value from what the leader got back and the lanes in front of it.

#define FULL 0xffffffffu

static const int kThreads = 256;

__device__ inline unsigned long long bits_of(double d) {
    return static_cast<unsigned long long>(__double_as_longlong(d));
}

__device__ inline double double_of(unsigned long long b) {
    return __longlong_as_double(static_cast<long long>(b));
}

__device__ double atomic_add_double(double* address, double value) {
    unsigned long long* word = reinterpret_cast<unsigned long long*>(address);
    unsigned long long expected = atomicAdd(word, 0ull);  // reads it past the L1
    // One lane per target gets here, so there is nobody who could come in between.
    const unsigned long long seen =
        atomicCAS(word, expected, bits_of(double_of(expected) + value));
    return double_of(seen);
}

// What a lane has to know about the lanes that want the same target.
struct Group {
    unsigned members;
    int leader;
    double before_me;  // sum of the members with a lower lane
    double total;      // sum of all members
};

__device__ Group form_group(unsigned target, double value, double* slots) {
    const int lane = threadIdx.x % 32;
    Group g;
    g.members = __match_any_sync(FULL, target);
    g.leader = __ffs(g.members) - 1;
    g.before_me = 0.0;
    g.total = 0.0;

    slots[lane] = value;
    __syncwarp();
    for (unsigned rest = g.members; rest != 0; rest &= rest - 1) {
        const int member = __ffs(rest) - 1;
        if (member == lane) g.before_me = g.total;
        g.total += slots[member];
    }
    __syncwarp();
    return g;
}

__global__ void clear(double* totals, std::size_t m) {
    const std::size_t stride = static_cast<std::size_t>(gridDim.x) * blockDim.x;
    for (std::size_t t = blockIdx.x * blockDim.x + threadIdx.x; t < m; t += stride) totals[t] = 0.0;
}

__global__ void add_all(const double* values, const std::uint32_t* targets, std::size_t n,
                        double* totals, double* before) {
    __shared__ double slots[kThreads];
    __shared__ double answers[kThreads];
    const std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    const int base = threadIdx.x & ~31;
    const bool active = i < n;

    // Lanes past the end stay (the match needs all of them), with a target that nobody has.
    const unsigned target = active ? targets[i] : 0xffffffffu;
    const double value = active ? values[i] : 0.0;
    const Group g = form_group(target, value, slots + base);

    const int lane = threadIdx.x % 32;
    if (active && lane == g.leader) {
        answers[threadIdx.x] = atomic_add_double(&totals[target], g.total);
    }
    __syncwarp();
    if (active) before[i] = answers[base + g.leader] + g.before_me;
}

void add_double(const double* values, const std::uint32_t* targets, std::size_t n, double* totals,
                std::size_t m, double* before) {
    clear<<<64, kThreads>>>(totals, m);
    if (n == 0) return;
    const unsigned blocks = static_cast<unsigned>((n + kThreads - 1) / kThreads);
    add_all<<<blocks, kThreads>>>(values, targets, n, totals, before);
}

// cause: wrong_shuffle_mask line 49
// task: add_double
// The shuffle in the loop over a team names all lanes of the warp, but teams differ in size: lanes of small teams have left the loop when those of large ones shuffle.
#include "interface.cuh"

namespace {

using Bits = unsigned long long;
constexpr unsigned kAll = 0xffffffffu;

__device__ Bits bits_of(double d) { return static_cast<Bits>(__double_as_longlong(d)); }
__device__ double double_of(Bits b) { return __longlong_as_double(static_cast<long long>(b)); }

/// Returns the old value. The swap is compared by bits: no NaN equals itself.
__device__ double atomic_add_double(double* address, double value) {
    Bits* const word = reinterpret_cast<Bits*>(address);
    for (Bits seen = *word;;) {
        const Bits was = atomicCAS(word, seen, bits_of(double_of(seen) + value));
        if (was == seen) return double_of(was);
        seen = was;
    }
}

/// Calls f with each lane of a set, from the lowest to the highest.
template <class F>
__device__ void for_each_lane(unsigned set, F f) {
    for (; set != 0; set &= set - 1) f(__ffs(set) - 1);
}

/// What a lane knows about those that add to the same target
struct Team {
    unsigned members;
    double before;  // the values of the members in front of it
    double all;
};

__global__ void add_teams(const double* values, const std::uint32_t* targets, std::size_t n,
                          double* totals, double* before) {
    const std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    const unsigned here = __ballot_sync(kAll, i < n);  // lanes that have an element
    if (i >= n) return;
    const int lane = threadIdx.x % 32;
    const std::uint32_t target = targets[i];
    const double value = values[i];

    // Lanes with one target go as a team: one trip to memory instead of up to 32
    Team team{__match_any_sync(here, target), 0.0, 0.0};
    for_each_lane(team.members, [&](int member) {
        const double v = __shfl_sync(here, value, member);
        if (member < lane) team.before += v;
        team.all += v;
    });

    const int leader = __ffs(team.members) - 1;
    double old = 0.0;
    if (lane == leader) old = atomic_add_double(totals + target, team.all);
    old = __shfl_sync(team.members, old, leader);

    // as if the members had come one after the other
    before[i] = old + team.before;
}

__global__ void fill(double* data, std::size_t n, double value) {
    for (std::size_t k = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x; k < n;
         k += static_cast<std::size_t>(gridDim.x) * blockDim.x) {
        data[k] = value;
    }
}

/// Blocks of a fixed size, rounded up
struct Grid {
    static constexpr unsigned threads = 128;
    unsigned blocks;
    explicit Grid(std::size_t n) : blocks(static_cast<unsigned>((n + threads - 1) / threads)) {}
};

}  // namespace

void add_double(const double* values, const std::uint32_t* targets, std::size_t n, double* totals,
                std::size_t m, double* before) {
    fill<<<Grid(m).blocks, Grid::threads>>>(totals, m, 0.0);
    if (n == 0) return;
    add_teams<<<Grid(n).blocks, Grid::threads>>>(values, targets, n, totals, before);
}

void critical_section(const std::int32_t*, std::size_t, std::size_t, std::int64_t*, std::uint64_t*,
                      std::uint32_t*) {
    // TODO
}

void transfers(const std::int64_t*, std::size_t, const std::uint32_t*, const std::uint32_t*,
               const std::int64_t*, std::size_t, std::int64_t*, std::uint64_t*, std::int64_t*) {
    // TODO
}

void atomic_ops(const std::uint32_t*, const std::uint64_t*, std::size_t, std::uint32_t,
                std::uint32_t*, std::uint64_t*, std::uint32_t*, std::uint64_t*, std::uint32_t*,
                std::uint64_t*) {
    // TODO
}

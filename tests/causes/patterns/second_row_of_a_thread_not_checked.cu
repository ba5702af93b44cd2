// cause: missing_bounds_check line 45 or 51
// task: gather
// Each thread takes two rows, but only the first one is compared with n; in the last block the second row can lie beyond the end, where it is read and written.
#include "interface.cuh"

// Four indices of a cell are one 16-byte load. To have eight values under way per thread, each
// thread takes two cells, one block of threads apart, so that both loads are coalesced.

using Row = uint4;

template <unsigned Threads> struct Span {
    static constexpr unsigned cells = 2 * Threads;

    std::size_t near, far;

    __device__ Span()
        : near(static_cast<std::size_t>(blockIdx.x) * cells + threadIdx.x), far(near + Threads) {}
};

// Values of the mesh, read through the read-only cache.
class Field {
public:
    explicit Field(const float* value) : value_(value) {}

    __device__ __forceinline__ float around(const Row& r) const {
        const float a = __ldg(value_ + r.x);
        const float b = __ldg(value_ + r.y);
        const float c = __ldg(value_ + r.z);
        const float d = __ldg(value_ + r.w);
        return (a + b) + (c + d);
    }

private:
    const float* value_;
};

template <unsigned Threads>
__global__ void __launch_bounds__(Threads)
    gather_pairs(Field field, const Row* __restrict__ rows, std::size_t n,
                 float* __restrict__ out) {
    const Span<Threads> my;
    if (my.near >= n) return;

    const Row first = rows[my.near];
    const Row second = rows[my.far];

    const float sum_first = field.around(first);
    const float sum_second = field.around(second);

    out[my.near] = sum_first;
    out[my.far] = sum_second;
}

void gather_sum(const float* value, std::size_t /*m*/, const std::uint32_t* neighbour,
                std::size_t n, float* out) {
    constexpr unsigned threads = 128;
    constexpr unsigned cells = Span<threads>::cells;
    const unsigned blocks = static_cast<unsigned>((n + cells - 1) / cells);
    gather_pairs<threads>
        <<<blocks, threads>>>(Field(value), reinterpret_cast<const Row*>(neighbour), n, out);
}

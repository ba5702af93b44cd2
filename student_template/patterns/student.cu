// patterns: map, gather, scatter. The handout is assignments/patterns/README.md; what each function
// must do is in interface.cuh. Try it with `make check`.
#include "interface.cuh"

// y[i] = c0 + c1 x[i] + c2 x[i]^2 + c3 x[i]^3
void map_cubic(const float* /*x*/, std::size_t /*n*/, float /*c0*/, float /*c1*/, float /*c2*/,
               float /*c3*/, float* /*y*/) {
    // TODO: write a kernel and launch it here.
}

// out[i] = value[neighbour[i][0]] + ... + value[neighbour[i][3]]
void gather_sum(const float* /*value*/, std::size_t /*m*/, const std::uint32_t* /*neighbour*/,
                std::size_t /*n*/, float* /*out*/) {
    // TODO
}

// total[t] = sum of all value[i] with target[i] == t
void scatter_add(const std::int32_t* /*value*/, const std::uint32_t* /*target*/, std::size_t /*n*/,
                 std::size_t /*m*/, std::int64_t* /*total*/) {
    // TODO
}

// expect: bytes=memory_limit|time_limit|compile_error
// Two instantiations for each: 2^40 of them, in a depth that compilers allow.
#include "interface.cuh"

template <int N, long Path> struct Tree { static constexpr long value = Tree<N - 1, 2 * Path>::value + Tree<N - 1, 2 * Path + 1>::value; };
template <long Path> struct Tree<0, Path> { static constexpr long value = 1; };
long bomb = Tree<40, 1>::value;

void histogram_bytes(const unsigned char* in, std::size_t n, unsigned int* bins) {}

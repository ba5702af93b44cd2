// expect: bytes=compile_error
// Templates without end.
#include "interface.cuh"

template <int N> struct Deep { static constexpr long value = Deep<N + 1>::value; };
long bomb = Deep<0>::value;

void histogram_bytes(const unsigned char* in, std::size_t n, unsigned int* bins) {}

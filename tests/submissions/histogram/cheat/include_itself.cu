// expect: bytes=compile_error
// A file that includes itself.
#include "interface.cuh"

#include "include_itself.cu"

void histogram_bytes(const unsigned char* in, std::size_t n, unsigned int* bins) {}

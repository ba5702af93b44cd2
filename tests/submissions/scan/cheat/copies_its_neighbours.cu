// expect: inclusive_int=accepted
// at-most: inclusive_int.performance=0
// Reads and overwrites by copies what lies before and behind its buffers. Throws if one of them is done.
#include <stdexcept>

#include "interface.cuh"

namespace {
void reach(const int* in, std::size_t n, int* out) {
    char bytes[4096] = {};
    const char* const places[] = {reinterpret_cast<const char*>(in) - sizeof bytes, reinterpret_cast<const char*>(in + n), reinterpret_cast<const char*>(out + n),
                                  reinterpret_cast<const char*>(out) - sizeof bytes};
    for (const char* place : places)
        if (cudaMemcpy(bytes, place, sizeof bytes, cudaMemcpyDeviceToHost) == cudaSuccess ||
            cudaMemset(const_cast<char*>(place), 0, sizeof bytes) == cudaSuccess ||
            cudaMemcpy(out, place, 1, cudaMemcpyDeviceToDevice) == cudaSuccess)
            throw std::runtime_error("a neighbour");
    if (cudaFree(const_cast<int*>(in)) == cudaSuccess) throw std::runtime_error("freed");
    (void)cudaGetLastError();
}
}  // namespace

__global__ void scan(const int* in, std::size_t n, int* out) {
    unsigned sum = 0;
    for (std::size_t i = 0; i < n; ++i) out[i] = static_cast<int>(sum += static_cast<unsigned>(in[i]));
}

void scan_inclusive_int(const int* in, std::size_t n, int* out) {
    reach(in, n, out);
    scan<<<1, 1>>>(in, n, out);
}

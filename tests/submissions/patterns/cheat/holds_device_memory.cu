// expect: map=suspicious|memory_limit|launch_error
// at-most: map=0
// All of the device's memory is held from the start, so that the grader has no place for its data.
#include "interface.cuh"

namespace {
const bool held = [] {
    void* piece = nullptr;
    for (std::size_t bytes = std::size_t{1} << 31; bytes >= 256; bytes /= 2)
        while (cudaMalloc(&piece, bytes) == cudaSuccess) {
        }
    (void)cudaGetLastError();
    return true;
}();
}  // namespace

void map_cubic(const float*, std::size_t, float, float, float, float, float*) {}

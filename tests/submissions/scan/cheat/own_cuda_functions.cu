// expect: inclusive_int=compile_error|out_of_bounds|unwritten_output
// at-most: inclusive_int=0
// report: *
// CUDA functions of its own for the runner, which know of no failure.
#include "interface.cuh"

extern "C" {
cudaError_t cudaDeviceSynchronize() { return cudaSuccess; }
cudaError_t cudaGetLastError() { return cudaSuccess; }
cudaError_t cudaPeekAtLastError() { return cudaSuccess; }
}

__global__ void scan(const int* in, std::size_t n, int* out) { out[n + (std::size_t{1} << 30)] = in[0]; }

void scan_inclusive_int(const int* in, std::size_t n, int* out) { scan<<<1, 1>>>(in, n, out); }

// expect: sum=unwritten_output|wrong_answer|nondeterministic|launch_error|out_of_bounds|tampering
// at-most: sum=4 sum.performance=0 sum.technique=0
// report: *
// Returns at once; a thread does the work later, while the grader reads the output.
#include <unistd.h>

#include <thread>

#include "interface.cuh"

__global__ void add(const double* in, std::size_t n, double* out) {
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(out, in[i]);
}

void reduce_sum(const double* in, std::size_t n, double* out) {
    std::thread([=] {
        usleep(300);
        const double zero = 0;
        for (int k = 0; k < 100; ++k) cudaMemcpy(out, &zero, sizeof zero, cudaMemcpyHostToDevice);
        cudaMemset(out, 0, sizeof *out);
        if (n > 0) add<<<static_cast<unsigned>((n + 255) / 256), 256>>>(in, n, out);
    }).detach();
}

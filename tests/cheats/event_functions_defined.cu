// cheat: defines the event functions that the runner reads its times from
// caught: compile_error "defined twice"
//
// The submission is linked before the CUDA runtime, so these would be the ones that the runner
// calls, if the runtime were not one object, which comes whole or not at all. The other names are
// for the compiler, which knows these functions.
#include "honest.cuh"

extern "C" {
cudaError_t no_record(cudaEvent_t, cudaStream_t) asm("cudaEventRecord");
cudaError_t microsecond(float*, cudaEvent_t, cudaEvent_t) asm("cudaEventElapsedTime");
}

cudaError_t no_record(cudaEvent_t, cudaStream_t) { return cudaSuccess; }

cudaError_t microsecond(float* milliseconds, cudaEvent_t, cudaEvent_t) {
    *milliseconds = 0.001F;
    return cudaSuccess;
}

void reduce_sum(const double* in, std::size_t n, double* out) { honest::sum(in, n, out); }

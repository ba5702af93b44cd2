// cheat: overwrites the event functions in the running process, so that times are a microsecond
// caught: tampering "by the grader's clock"
//
// What the linker does not let a submission define again, it can change before main begins.
#include "honest.cuh"
#include "patch.cuh"

namespace {

cudaError_t CUDARTAPI microsecond(float* milliseconds, cudaEvent_t, cudaEvent_t) {
    *milliseconds = 0.001F;
    return cudaSuccess;
}

const bool patched = patch(&cudaEventElapsedTime, &microsecond);

}  // namespace

void reduce_sum(const double* in, std::size_t n, double* out) { honest::sum(in, n, out); }

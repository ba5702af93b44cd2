// cheat: lets cudaDeviceSynchronize return at once: the runner replies before the work is done
// caught: tampering|wrong_answer|unwritten_output
//
// Where only the result counts the function waits itself. Times of events that are not over yet
// cannot be read, so those are made up, too: a tenth of what the sum takes.
#include "honest.cuh"
#include "patch.cuh"

namespace {

cudaError_t CUDARTAPI no_wait() { return cudaSuccess; }

cudaError_t CUDARTAPI few_microseconds(float* milliseconds, cudaEvent_t, cudaEvent_t) {
    *milliseconds = 0.006F;
    return cudaSuccess;
}

const bool patched =
    patch(&cudaDeviceSynchronize, &no_wait) && patch(&cudaEventElapsedTime, &few_microseconds);

}  // namespace

void reduce_sum(const double* in, std::size_t n, double* out) {
    honest::sum(in, n, out);
    if (!honest::timed(n)) cudaStreamSynchronize(nullptr);
}

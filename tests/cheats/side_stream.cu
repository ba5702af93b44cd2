// cheat: works on a stream that does not wait for the default one, and returns at once
// caught: tampering "by the grader's clock"
//
// The runner's events are recorded in the default stream. A stream made with cudaStreamNonBlocking
// has no order with it, so the second event is over before the sum is.
#include "honest.cuh"

void reduce_sum(const double* in, std::size_t n, double* out) {
    static cudaStream_t stream = nullptr;
    if (!honest::timed(n)) {
        honest::sum(in, n, out);
        return;
    }
    if (stream == nullptr) cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    honest::sum(in, n, out, stream);
}

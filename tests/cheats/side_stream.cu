// cheat: works on streams that do not wait for the default one, and returns at once
// caught: tampering "by the grader's clock"
//
// The runner's events are recorded in the default stream. Streams made with cudaStreamNonBlocking
// have no order with it, so the second event is over before the sum is.
#include "honest.cuh"

void reduce_sum(const double* in, std::size_t n, double* out) {
    constexpr int count = 4;
    static cudaStream_t streams[count];
    static int calls = 0;
    if (!honest::timed(n)) {
        honest::sum(in, n, out);
        return;
    }
    if (calls == 0)
        for (auto& stream : streams) cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    honest::sum(in, n, out, streams[calls++ % count]);
}

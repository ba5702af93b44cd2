// cheat: works on a stream that does not wait for the default one, and returns at once
// caught: gain <= 3 %
//
// A stream made with cudaStreamNonBlocking has no order with the default one, in which the events of
// a naive clock are: its second event is over before the sum is. The runner waits for the whole device.
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

// cheat: leaves work in a stream that waits for an input to change, and then for a copy to end
// caught: tampering|wrong_answer or gain <= 3 %
// emulator: no
//
// As precomputed_by_waiting_stream.cu. The copy needs no multiprocessor, so that nothing is seen to
// run for the 0.2 ms that it takes: the grader might have got from the inputs to the clock by then.
#include "waiting_stream.cuh"

void reduce_sum(const double* in, std::size_t n, double* out) {
    ahead::sum<Waiter<10 << 20>>(in, n, out);
}

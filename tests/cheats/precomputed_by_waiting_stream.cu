// cheat: leaves work in a stream that waits for an input to change, and runs while nobody looks
// caught: tampering|wrong_answer or gain <= 3 %
// emulator: no
//
// waiting_stream.cuh says how.
#include "waiting_stream.cuh"

void reduce_sum(const double* in, std::size_t n, double* out) { ahead::sum<Waiter<0>>(in, n, out); }

// control: wrong_answer
//
// Right in every call but one in seven of those that are timed, which leaves out the last thousand
// elements. It gains nothing: if this passes, not every timed output is looked at.
#include "honest.cuh"

void reduce_sum(const double* in, std::size_t n, double* out) {
    static int calls = 0;
    const bool leave_out = honest::timed(n) && ++calls % 7 == 0;
    honest::sum(in, leave_out ? n - 1000 : n, out);
}

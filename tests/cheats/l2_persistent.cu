// cheat: asks for its inputs to stay in L2 from round to round
// caught: gain <= 3 %
//
// Nothing about it is forbidden. It gains if rounds are repeated on data that fits.
#include "honest.cuh"
#include "persist.cuh"

void reduce_sum(const double* in, std::size_t n, double* out) {
    if (honest::timed(n))
        persistent_sum(in, n, out);
    else
        honest::sum(in, n, out);
}

// cheat: leaves in each output what an earlier round, or the reference, has left there
// caught: unwritten_output|wrong_answer|tampering
//
// An output that this process has seen before was written by then, and would still be right if
// nobody had touched it.
#include <set>

#include "honest.cuh"

void reduce_sum(const double* in, std::size_t n, double* out) {
    static std::set<double*> written;
    if (honest::timed(n) && !written.insert(out).second) return;
    honest::sum(in, n, out);
}

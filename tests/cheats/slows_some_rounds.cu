// cheat: leaves a kernel running after every second round that counts, so that few baselines are slow
// caught: tampering or gain <= 3 %
// emulator: no
//
// A tier is given for the upper end of the speedup's interval, which the largest of its samples
// decide: the baseline's turn comes after such a round in a quarter of the pairs.
#include "honest.cuh"
#include "left_running.cuh"
#include "requests.cuh"

namespace {

constexpr int passes = 2000;
constexpr int not_counted = 4;

bool called = false;
int rounds = 0;

void leave_a_kernel() {
    if (called && ++rounds > not_counted && rounds % 2 == 0) left_running::launch(passes);
    called = false;
}

}  // namespace

void reduce_sum(const double* in, std::size_t n, double* out) {
    if (honest::timed(n)) {
        left_running::prepare();
        requests::answering = leave_a_kernel;
        called = true;
    }
    honest::sum(in, n, out);
}

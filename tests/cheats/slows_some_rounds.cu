// cheat: leaves a kernel running after every second round that counts, so that few baselines are slow
// caught: tampering or gain <= 3 % or time_limit "although none of its functions was called"
// emulator: no
//
// A tier is given for the upper end of the speedup's interval, which the largest of its samples
// decide: the baseline's turn comes after such a round in a quarter of the pairs.
#include "left_running.cuh"

namespace {

constexpr int passes = 2000;
constexpr int not_counted = 4;

bool every_second(int round) { return round > not_counted && round % 2 == 0; }

}  // namespace

void reduce_sum(const double* in, std::size_t n, double* out) {
    left_running::sum<passes, every_second>(in, n, out);
}

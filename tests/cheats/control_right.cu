// control: accepted
//
// What the cheats fall back on, alone: right, and as fast as memory can be read. It must get all
// points for its speed, and its speedup is what the gains of cheats are measured against.
#include "honest.cuh"

void reduce_sum(const double* in, std::size_t n, double* out) { honest::sum(in, n, out); }

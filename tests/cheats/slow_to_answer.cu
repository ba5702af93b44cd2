// cheat: takes 0.4 s for each request that asks for no call, so that time is left for few rounds
// caught: time_limit "although none of its functions was called"
//
// Of one or two rounds nothing could be held against anyone.
#include <unistd.h>

#include "honest.cuh"
#include "requests.cuh"

void reduce_sum(const double* in, std::size_t n, double* out) {
    requests::come = [](const requests::Request& request) {
        if (request.no_calls) usleep(400'000);
    };
    honest::sum(in, n, out);
}

// cheat: works in the first call of a round only; the others copy its answer
// caught: wrong_answer
//
// Calls that come on each other's heels are repetitions for the clock. A pause on the host tells
// where the next round begins, with data that may be new.
#include <chrono>

#include "honest.cuh"

void reduce_sum(const double* in, std::size_t n, double* out) {
    using Clock = std::chrono::steady_clock;
    constexpr auto pause = std::chrono::microseconds(500);
    static double* answer = nullptr;
    static Clock::time_point last;
    if (!honest::timed(n)) {
        honest::sum(in, n, out);
        return;
    }
    if (answer == nullptr) cudaMalloc(&answer, sizeof *answer);
    if (Clock::now() - last > pause) {
        honest::sum(in, n, out);
        cudaMemcpyAsync(answer, out, sizeof *out, cudaMemcpyDeviceToDevice);
    } else {
        cudaMemcpyAsync(out, answer, sizeof *out, cudaMemcpyDeviceToDevice);
    }
    last = Clock::now();
}

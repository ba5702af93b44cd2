// cheat: keeps the answers of the first round of calls, and gives them again in the same order
// caught: wrong_answer or gain <= 3 %
//
// Unlike a cache by pointer this looks at no argument once it knows how many calls make a round:
// the calls until the first input comes again. From then on call i has the answer of call i minus a
// round.
#include "honest.cuh"

void reduce_sum(const double* in, std::size_t n, double* out) {
    constexpr std::size_t most = 1024;
    static double* answers = nullptr;
    static const double* first = nullptr;
    static std::size_t calls = 0, round = 0;
    if (!honest::timed(n)) {
        honest::sum(in, n, out);
        return;
    }
    if (answers == nullptr) {
        cudaMalloc(&answers, most * sizeof *answers);
        first = in;
    } else if (round == 0 && in == first) {
        round = calls;
    }
    if (round != 0 && round <= most) {
        const double* answer = answers + calls % round;
        cudaMemcpyAsync(out, answer, sizeof *out, cudaMemcpyDeviceToDevice);
    } else {
        honest::sum(in, n, out);
        if (calls < most)
            cudaMemcpyAsync(answers + calls, out, sizeof *out, cudaMemcpyDeviceToDevice);
    }
    ++calls;
}

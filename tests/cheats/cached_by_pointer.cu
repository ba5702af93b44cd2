// cheat: keeps the answer for each input by its address
// caught: wrong_answer
//
// Timing calls the function with the same buffers again and again; whoever does not change what is
// in them gets the right answer for a copy of 8 bytes.
#include <map>

#include "honest.cuh"

void reduce_sum(const double* in, std::size_t n, double* out) {
    constexpr std::size_t most = 1024;
    static double* answers = nullptr;
    static std::map<const double*, std::size_t> slots;
    if (!honest::timed(n)) {
        honest::sum(in, n, out);
        return;
    }
    if (answers == nullptr) cudaMalloc(&answers, most * sizeof *answers);
    const auto [place, is_new] = slots.try_emplace(in, slots.size());
    if (place->second >= most) {
        honest::sum(in, n, out);
    } else if (is_new) {
        honest::sum(in, n, out);
        cudaMemcpyAsync(answers + place->second, out, sizeof *out, cudaMemcpyDeviceToDevice);
    } else {
        cudaMemcpyAsync(out, answers + place->second, sizeof *out, cudaMemcpyDeviceToDevice);
    }
}

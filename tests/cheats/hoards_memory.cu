// cheat: takes nearly all of the GPU's memory, so that there is no room for sets of data
// caught: memory_limit "memory free" or gain <= 3 %
//
// Rounds would have few calls, and what is not calls would weigh more; or speed would not be
// judged.
#include "honest.cuh"

void reduce_sum(const double* in, std::size_t n, double* out) {
    static bool taken = false;
    if (honest::timed(n) && !taken) {
        taken = true;
        std::size_t free = 0, all = 0;
        void* memory = nullptr;
        constexpr std::size_t left = std::size_t{2} << 30;
        if (cudaMemGetInfo(&free, &all) == cudaSuccess && free > left)
            cudaMalloc(&memory, free - left);
        cudaGetLastError();
    }
    honest::sum(in, n, out);
}

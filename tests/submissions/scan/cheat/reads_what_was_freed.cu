// expect: inclusive_int=accepted
// at-most: inclusive_int.performance=0
// Keeps the addresses of earlier calls and reads there, and looks into fresh memory for what earlier calls have left.
// Throws if it finds any of it.
#include <stdexcept>
#include <vector>

#include "interface.cuh"

namespace {
std::vector<const int*> known;
int mark = 0;

void look() {
    int value = 0;
    for (const int* address : known)
        if (cudaMemcpy(&value, address, sizeof value, cudaMemcpyDeviceToHost) == cudaSuccess && value == mark)
            throw std::runtime_error("an earlier call's buffer");
    (void)cudaGetLastError();
    std::vector<int> words(1 << 16);
    int* fresh = nullptr;
    if (cudaMalloc(&fresh, words.size() * sizeof(int)) != cudaSuccess) return;
    cudaMemcpy(words.data(), fresh, words.size() * sizeof(int), cudaMemcpyDeviceToHost);
    cudaFree(fresh);
    for (const int word : words)
        if (mark != 0 && word == mark) throw std::runtime_error("an earlier call's data");
}
}  // namespace

__global__ void scan(const int* in, std::size_t n, int* out) {
    unsigned sum = 0;
    for (std::size_t i = 0; i < n; ++i) out[i] = static_cast<int>(sum += static_cast<unsigned>(in[i]));
}

void scan_inclusive_int(const int* in, std::size_t n, int* out) {
    static int calls = 0;
    if (++calls < 12) {
        if (mark != 0) look();
        known = {in, out};
        cudaMemcpy(&mark, in, sizeof mark, cudaMemcpyDeviceToHost);
    }
    scan<<<1, 1>>>(in, n, out);
}

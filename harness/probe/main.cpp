// libexec/cugrade/gpu-probe: exits with 0 if device 0 allocates memory, writes it and gives the
// same back. The caller chooses the device by CUDA_VISIBLE_DEVICES, sets a deadline and ends this
// process: a call to a GPU that hangs may not return, and then only this process hangs.
#include <cstdio>
#include <vector>

#include <cuda_runtime_api.h>

namespace {

constexpr std::size_t bytes = std::size_t{1} << 20;
constexpr unsigned char written = 0x5C;

/// True if the call succeeded; else prints the error.
bool well(const char* what, cudaError_t error) {
    if (error == cudaSuccess) return true;
    std::printf("%s: %s (%s)\n", what, cudaGetErrorName(error), cudaGetErrorString(error));
    return false;
}

}  // namespace

int main() {
    void* memory = nullptr;
    std::vector<unsigned char> back(bytes);
    if (!well("cudaSetDevice", cudaSetDevice(0)) ||
        !well("cudaMalloc", cudaMalloc(&memory, bytes)) ||
        !well("cudaMemset", cudaMemset(memory, written, bytes)) ||
        !well("cudaMemcpy", cudaMemcpy(back.data(), memory, bytes, cudaMemcpyDeviceToHost)) ||
        !well("cudaFree", cudaFree(memory)))
        return 1;
    for (const unsigned char byte : back) {
        if (byte == written) continue;
        std::printf("memory holds 0x%02x where 0x%02x was written\n", byte, written);
        return 1;
    }
    return 0;
}

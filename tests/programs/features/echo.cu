// Its own arguments, input, output and exit code.
#include <cstdio>
#include <cstdlib>
#include <cstring>

__global__ void invert(char* text, int n) {
    const int i = threadIdx.x;
    if (i < n && text[i] >= 'a' && text[i] <= 'z') text[i] -= 32;
}

int main(int argc, char** argv) {
    for (int i = 1; i < argc; ++i) std::printf("[%s]\n", argv[i]);
    char line[100] = "";
    if (std::fgets(line, sizeof line, stdin) == nullptr) return 9;
    char* device;
    cudaMalloc(&device, sizeof line);
    cudaMemcpy(device, line, sizeof line, cudaMemcpyHostToDevice);
    invert<<<1, 128>>>(device, static_cast<int>(std::strlen(line)));
    cudaMemcpy(line, device, sizeof line, cudaMemcpyDeviceToHost);
    cudaFree(device);
    std::fputs(line, stdout);
    std::fputs("to standard error\n", stderr);
    if (argc > 2 && std::strcmp(argv[2], "abort") == 0) std::abort();
    return argc > 1 ? std::atoi(argv[1]) : 0;
}

// A program for client_test.cpp: what the checkers have to say of it is chosen by its argument.
#include <cstdlib>
#include <cstring>
#include <string>

__global__ void add(const int* a, const int* b, int* sum) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    sum[i] = a[i] + b[i];
}
__global__ void collide(int* p) { *p = static_cast<int>(threadIdx.x); }

constexpr int n = 256;

int innocent() {
    int host[n] = {};
    int *copied, *filled, *sum, *managed;
    if (cudaMalloc(&copied, sizeof host) != cudaSuccess) return 1;
    cudaMalloc(&filled, sizeof host);
    cudaMalloc(&sum, sizeof host);
    cudaMallocManaged(&managed, sizeof host);
    cudaMemcpy(copied, host, sizeof host, cudaMemcpyHostToDevice);
    cudaMemset(filled, 0, sizeof host);
    std::memset(managed, 0, sizeof host);
    add<<<2, n / 2>>>(copied, filled, sum);
    add<<<2, n / 2>>>(sum, managed, filled);
    cudaMemcpy(host, filled, sizeof host, cudaMemcpyDeviceToHost);
    cudaMemcpy(host, host, sizeof host, cudaMemcpyDeviceToHost);  // fails
    (void)cudaGetLastError();
    for (int* p : {copied, filled, sum, managed}) cudaFree(p);
    return 0;
}

int guilty() {
    int host[n] = {};
    int *a, *b, *sum;
    cudaMalloc(&a, sizeof host);
    cudaMalloc(&b, sizeof host);
    cudaMalloc(&sum, 2 * sizeof host);
    cudaMemcpy(a, host, sizeof host, cudaMemcpyHostToDevice);
    cudaMemcpy(b, host, n, cudaMemcpyHostToDevice);  // a quarter of it
    add<<<2, n / 2>>>(a, b, sum);
    collide<<<1, 64>>>(a);
    int more[2 * n];
    cudaMemcpy(more, sum, sizeof more, cudaMemcpyDeviceToHost);
    add<<<1, 2048>>>(a, b, sum);  // fails
    return 0;
}

int main(int argc, char** argv) {
    const std::string what = argc > 1 ? argv[1] : "";
    if (what == "innocent") return innocent();
    if (what == "guilty") return guilty();
    if (what == "read" && argc > 2) {
        int* old = reinterpret_cast<int*>(std::strtoull(argv[2], nullptr, 10));
        add<<<1, 64>>>(old, old, old);
        return cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
    }
    return 2;
}

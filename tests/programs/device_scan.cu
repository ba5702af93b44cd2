// Prefix sums and a running maximum with CUB.
#include <cub/cub.cuh>

#include <algorithm>
#include <cstdio>
#include <vector>

template <class Scan>
bool scan(Scan call, const std::vector<long long>& expected, const char* name) {
    const int n = static_cast<int>(expected.size());
    std::vector<int> in(n);
    for (int i = 0; i < n; ++i) in[i] = i % 17 - 3;
    int* d_in;
    long long* d_out;
    cudaMalloc(&d_in, n * sizeof(int));
    cudaMalloc(&d_out, n * sizeof(long long));
    cudaMemcpy(d_in, in.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    void* temporary = nullptr;
    size_t bytes = 0;
    call(temporary, bytes, d_in, d_out, n);
    cudaMalloc(&temporary, bytes);
    call(temporary, bytes, d_in, d_out, n);
    std::vector<long long> out(n);
    cudaError_t e = cudaMemcpy(out.data(), d_out, n * sizeof(long long), cudaMemcpyDeviceToHost);
    cudaFree(temporary);
    cudaFree(d_in);
    cudaFree(d_out);
    if (e != cudaSuccess) std::printf("%s: %s\n", name, cudaGetErrorString(e));
    for (int i = 0; e == cudaSuccess && i < n; ++i)
        if (out[i] != expected[i]) {
            std::printf("%s: %lld instead of %lld at %d\n", name, out[i], expected[i], i);
            return false;
        }
    return e == cudaSuccess;
}

struct Max {
    __host__ __device__ long long operator()(long long a, long long b) const {
        return a > b ? a : b;
    }
};

int main() {
    const int n = 20000;
    std::vector<long long> before(n), greatest(n);
    long long sum = 0, most = -100;
    for (int i = 0; i < n; ++i) {
        before[i] = sum;
        sum += i % 17 - 3;
        most = std::max<long long>(most, i % 17 - 3);
        greatest[i] = most;
    }
    bool ok = scan(
        [](void* t, size_t& b, int* in, long long* out, int count) {
            cub::DeviceScan::ExclusiveScan(t, b, in, out, cuda::std::plus<>{}, 0LL, count);
        },
        before, "exclusive sum");
    ok &= scan([](void* t, size_t& b, int* in, long long* out,
                  int count) { cub::DeviceScan::InclusiveScan(t, b, in, out, Max{}, count); },
               greatest, "running maximum");
    std::puts(ok ? "both scans are right" : "FAILED");
    return ok ? 0 : 1;
}

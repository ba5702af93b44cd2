// expect: exclusive_int=wrong_answer
// Blelloch's sweeps over global memory, for n a power of two: the zero goes to the last element, which
// is the root of the tree only then.
#include "interface.cuh"

__global__ void up(int* data, std::size_t n, std::size_t stride) {
    const std::size_t right = (blockIdx.x * 256ull + threadIdx.x + 1) * stride * 2 - 1;
    if (right < n) data[right] += data[right - stride];
}

__global__ void down(int* data, std::size_t n, std::size_t stride) {
    const std::size_t right = (blockIdx.x * 256ull + threadIdx.x + 1) * stride * 2 - 1;
    if (right >= n) return;
    const int left = data[right - stride];
    data[right - stride] = data[right];
    data[right] += left;
}

void scan_exclusive_int(const int* in, std::size_t n, int* out) {
    cudaMemcpy(out, in, n * sizeof(int), cudaMemcpyDeviceToDevice);
    std::size_t stride = 1;
    for (; stride < n; stride *= 2) up<<<static_cast<unsigned>(n / stride / 512 + 1), 256>>>(out, n, stride);
    cudaMemset(out + n - 1, 0, sizeof(int));
    for (stride /= 2; stride > 0; stride /= 2)
        down<<<static_cast<unsigned>(n / stride / 512 + 1), 256>>>(out, n, stride);
}

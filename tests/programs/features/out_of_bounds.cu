// One element too many.
__global__ void clear(int* data, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i <= n) data[i] = 0;
}

int main() {
    int* data;
    cudaMalloc(&data, 100 * sizeof(int));
    clear<<<1, 128>>>(data, 100);
    return cudaDeviceSynchronize() == cudaErrorIllegalAddress ? 5 : 0;
}

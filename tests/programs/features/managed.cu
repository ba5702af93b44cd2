// Managed memory: allocated, variables, a list of nodes that host and device both follow.
#include "check.h"

__managed__ int counter = 5;
__managed__ float table[1000];

struct Node {
    int value;
    Node* next;
};

__global__ void scale(float* data, int n, float factor) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) data[i] *= factor;
    if (i == 0) ++counter;
}

__global__ void sum_list(const Node* node, int* sum) {
    *sum = 0;
    for (; node != nullptr; node = node->next) *sum += node->value;
}

__global__ void fill_table() { table[threadIdx.x] = 2.0f * threadIdx.x; }

int main() {
    EXPECT(counter == 5);  // before anything else has used the device
    const int n = 5000;
    float* data;
    CUDA(cudaMallocManaged(&data, n * sizeof(float)));
    for (int i = 0; i < n; ++i) data[i] = i;
    scale<<<(n + 255) / 256, 256>>>(data, n, 2.0f);
    CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < n; ++i) EXPECT(data[i] == 2.0f * i);
    data[7] = 1.0f;  // the host writes between two launches
    counter = 10;
    scale<<<(n + 255) / 256, 256>>>(data, n, 3.0f);
    CUDA(cudaDeviceSynchronize());
    EXPECT(data[7] == 3.0f && data[8] == 48.0f && counter == 11);

    Node* first = nullptr;
    for (int i = 1; i <= 10; ++i) {
        Node* node;
        CUDA(cudaMallocManaged(&node, sizeof(Node)));
        *node = {i, first};
        first = node;
    }
    int* sum;
    CUDA(cudaMallocManaged(&sum, sizeof(int)));
    sum_list<<<1, 1>>>(first, sum);
    CUDA(cudaDeviceSynchronize());
    EXPECT(*sum == 55);

    fill_table<<<1, 1000>>>();
    CUDA(cudaDeviceSynchronize());
    EXPECT(table[999] == 1998.0f);
    int from_symbol = 0;
    CUDA(cudaMemcpyFromSymbol(&from_symbol, counter, sizeof(int)));
    EXPECT(from_symbol == 11);

    // Copies take it as either side.
    float host[4] = {1, 2, 3, 4}, *device;
    CUDA(cudaMalloc(&device, sizeof host));
    CUDA(cudaMemcpy(data, host, sizeof host, cudaMemcpyHostToDevice));
    CUDA(cudaMemcpy(device, data, sizeof host, cudaMemcpyHostToDevice));
    CUDA(cudaMemcpy(data + 4, device, sizeof host, cudaMemcpyDefault));
    EXPECT(data[3] == 4 && data[7] == 4);
    cudaPointerAttributes a;
    CUDA(cudaPointerGetAttributes(&a, data + 1));
    EXPECT(a.type == cudaMemoryTypeManaged && a.hostPointer == data + 1);
    CUDA(cudaFree(device));
    CUDA(cudaFree(sum));
    CUDA(cudaFree(data));
    return 0;
}

// What kernels may do beyond loops: malloc and free, recursion, virtual functions, function
// pointers, switch tables, printf.
#include "check.h"

struct Shape {
    __device__ virtual float area() const = 0;
    __device__ virtual ~Shape() {}
};
struct Square : Shape {
    float side;
    __device__ explicit Square(float s) : side(s) {}
    __device__ float area() const override { return side * side; }
};
struct Circle : Shape {
    float radius;
    __device__ explicit Circle(float r) : radius(r) {}
    __device__ float area() const override { return 3.0f * radius * radius; }
};

__global__ void shapes(float* areas) {
    const int i = threadIdx.x;
    Shape* shape = i % 2 ? static_cast<Shape*>(new Square(i)) : new Circle(i);
    areas[i] = shape->area();
    delete shape;
}

__global__ void lists(int* sums, int length) {
    int* data = static_cast<int*>(malloc(length * sizeof(int)));
    if (data == nullptr) {
        sums[threadIdx.x] = -1;
        return;
    }
    for (int i = 0; i < length; ++i) data[i] = i + threadIdx.x;
    int sum = 0;
    for (int i = 0; i < length; ++i) sum += data[i];
    sums[threadIdx.x] = sum;
    free(data);
}

__device__ __noinline__ int fibonacci(int n) {
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}
__global__ void recursion(int* out) { out[threadIdx.x] = fibonacci(threadIdx.x % 8); }

using Operation = int (*)(int, int);
__device__ int plus(int a, int b) { return a + b; }
__device__ int times(int a, int b) { return a * b; }
__device__ Operation plus_pointer = plus, times_pointer = times;
__device__ Operation table[2] = {plus, times};
__global__ void call(Operation f, int* out) { out[threadIdx.x] = f(threadIdx.x, 3); }
__global__ void call_table(int* out) { out[threadIdx.x] = table[threadIdx.x % 2](threadIdx.x, 3); }

__global__ void choose(int* out) {
    switch (threadIdx.x) {
        case 0: out[0] = 17; break;
        case 1: out[1] = fibonacci(5); break;
        case 2: out[2] = -4; break;
        case 3: out[3] = clock64() != 0 ? 8 : 9; break;
        case 4: out[4] = __popc(255); break;
        case 5: out[5] = 1 << threadIdx.x; break;
        case 6: out[6] = __brev(1u) == 0x80000000u; break;
        default: out[threadIdx.x] = -1;
    }
}

__global__ void hello() {
    if (threadIdx.x < 2)
        printf("thread %d says %s, %.2f, %c and %llu\n", threadIdx.x, "hello", 1.5, 'x',
               1234567890123ull);
}

int main() {
    float areas[32], *d_areas;
    int out[32], *d_out;
    CUDA(cudaMalloc(&d_areas, sizeof areas));
    CUDA(cudaMalloc(&d_out, sizeof out));
    CUDA(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 16 << 20));
    const auto results = [&] {
        CUDA(cudaGetLastError());
        CUDA(cudaMemcpy(out, d_out, sizeof out, cudaMemcpyDeviceToHost));
    };
    shapes<<<1, 32>>>(d_areas);
    CUDA(cudaMemcpy(areas, d_areas, sizeof areas, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 32; ++i) EXPECT(areas[i] == (i % 2 ? 1.0f : 3.0f) * i * i);
    lists<<<1, 32>>>(d_out, 10);
    results();
    for (int i = 0; i < 32; ++i) EXPECT(out[i] == 45 + 10 * i);
    recursion<<<1, 32>>>(d_out);
    results();
    const int fibonaccis[] = {0, 1, 1, 2, 3, 5, 8, 13};
    for (int i = 0; i < 32; ++i) EXPECT(out[i] == fibonaccis[i % 8]);
    Operation f;
    CUDA(cudaMemcpyFromSymbol(&f, times_pointer, sizeof f));
    call<<<1, 32>>>(f, d_out);
    results();
    for (int i = 0; i < 32; ++i) EXPECT(out[i] == i * 3);
    CUDA(cudaMemcpyFromSymbol(&f, plus_pointer, sizeof f));
    call<<<1, 32>>>(f, d_out);
    results();
    for (int i = 0; i < 32; ++i) EXPECT(out[i] == i + 3);
    call_table<<<1, 32>>>(d_out);
    results();
    for (int i = 0; i < 32; ++i) EXPECT(out[i] == (i % 2 ? i * 3 : i + 3));
    choose<<<1, 8>>>(d_out);
    results();
    const int chosen[] = {17, 5, -4, 8, 8, 32, 1, -1};
    for (int i = 0; i < 8; ++i) EXPECT(out[i] == chosen[i]);
    hello<<<1, 32>>>();
    CUDA(cudaDeviceSynchronize());
    return 0;
}

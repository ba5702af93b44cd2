// cause: size_in_elements line 46
// task: sum
// cudaMemset clears one byte (COUNT elements) of the double instead of eight, so the sum is added to garbage.
#include "interface.cuh"

static const size_t COUNT = 1;

template <class Op, class T, int NT>
__device__ T blockReduce(T v, Op op, T neutral)
{
    __shared__ T mem[NT];
    mem[threadIdx.x] = v;
    __syncthreads();
    for (int d = NT / 2; d >= 32; d /= 2) {
        if (threadIdx.x < d) mem[threadIdx.x] = op(mem[threadIdx.x], mem[threadIdx.x + d]);
        __syncthreads();
    }
    v = threadIdx.x < 32 ? mem[threadIdx.x] : neutral;
    for (int d = 16; d > 0; d /= 2) v = op(v, __shfl_down_sync(0xffffffffu, v, d));
    return v;
}

struct Plus {
    template <class T> __device__ T operator()(T a, T b) const { return a + b; }
};

__global__ void kernel(const double* in, size_t n, double* out)
{
    double a = 0, b = 0, c = 0, d = 0;
    const size_t T = (size_t)gridDim.x * blockDim.x;
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    for (; i + 3 * T < n; i += 4 * T) {
        a += in[i];
        b += in[i + T];
        c += in[i + 2 * T];
        d += in[i + 3 * T];
    }
    for (; i < n; i += T) a += in[i];

    double s = blockReduce<Plus, double, 128>((a + b) + (c + d), Plus(), 0.0);
    if (threadIdx.x == 0) atomicAdd(out, s);
}

void reduce_sum(const double* in, size_t n, double* out)
{
    cudaMemset(out, 0, COUNT);
    size_t blocks = n / 1024 + 1;
    kernel<<<blocks < 800 ? blocks : 800, 128>>>(in, n, out);
}

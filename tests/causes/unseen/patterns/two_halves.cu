// cause: misaligned line 43
// task: map
// The second half of the array starts at n / 2, which is a multiple of four elements only by chance, and is read as float4.
#include "interface.cuh"

struct Cubic {
    float c0, c1, c2, c3;
    __host__ __device__ float operator()(float x) const { return fmaf(fmaf(fmaf(c3, x, c2), x, c1), x, c0); }
    __host__ __device__ float4 operator()(float4 v) const
    {
        v.x = (*this)(v.x);
        v.y = (*this)(v.y);
        v.z = (*this)(v.z);
        v.w = (*this)(v.w);
        return v;
    }
};

__global__ void evaluate(const float* __restrict__ x, float* __restrict__ y, size_t count, Cubic f)
{
    const size_t id = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    const size_t quads = count / 4;
    if (id < quads) reinterpret_cast<float4*>(y)[id] = f(reinterpret_cast<const float4*>(x)[id]);
    const size_t rest = quads * 4 + id;
    if (id < 4 && rest < count) y[rest] = f(x[rest]);
}

static void launch(const float* x, float* y, size_t count, Cubic f, cudaStream_t stream)
{
    if (count == 0) return;
    const size_t threads = count / 4 + 4;
    evaluate<<<(unsigned)((threads + 127) / 128), 128, 0, stream>>>(x, y, count, f);
}

void map_cubic(const float* x, std::size_t n, float c0, float c1, float c2, float c3, float* y)
{
    const Cubic f{c0, c1, c2, c3};
    cudaStream_t s[2];
    cudaStreamCreate(&s[0]);
    cudaStreamCreate(&s[1]);

    // the halves overlap on the device
    const size_t half = n / 2;
    launch(x, y, half, f, s[0]);
    launch(x + half, y + half, n - half, f, s[1]);

    for (cudaStream_t stream : s) {
        cudaStreamSynchronize(stream);
        cudaStreamDestroy(stream);
    }
}

// cause: stream_not_waited_for line 87
// task: inclusive_float
// The right half gets the total of the left one added, which is scanned in another stream and perhaps not ready.
#include "interface.cuh"

enum { TPB = 256 };

struct Half {
    cudaStream_t stream;
    cudaEvent_t done;
    float *sums;
    size_t cap;
};

static Half halves[2];

__global__ void block_scan(const float *in, float *out, float *sums, size_t n)
{
    __shared__ float a[TPB];
    size_t i = (size_t)blockIdx.x * TPB + threadIdx.x;
    float v = i < n ? in[i] : 0.f;
    a[threadIdx.x] = v;
    __syncthreads();
    for (int d = 1; d < TPB; d *= 2) {
        if (threadIdx.x >= d)
            v += a[threadIdx.x - d];
        __syncthreads();
        a[threadIdx.x] = v;
        __syncthreads();
    }
    if (i < n)
        out[i] = v;
    if (threadIdx.x == TPB - 1)
        sums[blockIdx.x] = v;
}

__global__ void sum_scan(float *sums, int m)
{
    float run = 0.f;
    for (int i = 0; i < m; i++) {
        run += sums[i];
        sums[i] = run;
    }
}

__global__ void block_add(float *out, const float *sums, size_t n)
{
    size_t i = (size_t)blockIdx.x * TPB + threadIdx.x;
    if (blockIdx.x > 0 && i < n)
        out[i] += sums[blockIdx.x - 1];
}

__global__ void add_value(float *out, const float *value, size_t n)
{
    size_t i = (size_t)blockIdx.x * TPB + threadIdx.x;
    if (i < n)
        out[i] += *value;
}

static void scan_half(Half *h, const float *in, float *out, size_t n)
{
    size_t nb = (n + TPB - 1) / TPB;
    if (h->stream == 0) {
        cudaStreamCreateWithFlags(&h->stream, cudaStreamNonBlocking);
        cudaEventCreate(&h->done);
    }
    if (nb > h->cap) {
        cudaFree(h->sums);
        cudaMalloc(&h->sums, nb * sizeof(float));
        h->cap = nb;
    }
    if (n > 0) {
        block_scan<<<nb, TPB, 0, h->stream>>>(in, out, h->sums, n);
        sum_scan<<<1, 1, 0, h->stream>>>(h->sums, nb);
        block_add<<<nb, TPB, 0, h->stream>>>(out, h->sums, n);
    }
    cudaEventRecord(h->done, h->stream);
}

void scan_inclusive_float(const float *in, size_t n, float *out)
{
    size_t left = n / 2, right = n - left;

    scan_half(&halves[0], in, out, left);
    scan_half(&halves[1], in + left, out + left, right);
    if (left > 0) {
        add_value<<<(right + TPB - 1) / TPB, TPB, 0, halves[1].stream>>>(out + left, out + left - 1, right);
    }
}

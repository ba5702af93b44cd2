// cause: wrong_element line 48
// task: exclusive_float
// In the sweep down, the right child gets what is in the left place after that has been overwritten, not the sum of the left half that was kept in t.
#include "interface.cuh"

#define N 512 /* elements of a block, two for each thread */

void scan_inclusive_int(const int* /*in*/, std::size_t /*n*/, int* /*out*/) {}
void scan_exclusive_int(const int* /*in*/, std::size_t /*n*/, int* /*out*/) {}
void scan_inclusive_float(const float* /*in*/, std::size_t /*n*/, float* /*out*/) {}

__global__ void blelloch(const float *in, size_t n, float *out, float *sums) {
    __shared__ float x[N];
    int tid = threadIdx.x;
    size_t base = (size_t)blockIdx.x * N;

    x[tid] = base + tid < n ? in[base + tid] : 0.0f;
    x[tid + N / 2] = base + tid + N / 2 < n ? in[base + tid + N / 2] : 0.0f;

    /* up */
    int d, offset = 1;
    for (d = N / 2; d > 0; d /= 2) {
        __syncthreads();
        if (tid < d) {
            int a = offset * (2 * tid + 1) - 1;
            int b = offset * (2 * tid + 2) - 1;
            x[b] += x[a];
        }
        offset *= 2;
    }

    /* the root */
    __syncthreads();
    if (tid == 0) {
        if (sums) sums[blockIdx.x] = x[N - 1];
        x[N - 1] = 0.0f;
    }

    /* down */
    for (d = 1; d < N; d *= 2) {
        offset /= 2;
        __syncthreads();
        if (tid < d) {
            int a = offset * (2 * tid + 1) - 1;
            int b = offset * (2 * tid + 2) - 1;
            float t = x[a];
            x[a] = x[b];
            x[b] += x[a];
        }
    }
    __syncthreads();

    if (base + tid < n) out[base + tid] = x[tid];
    if (base + tid + N / 2 < n) out[base + tid + N / 2] = x[tid + N / 2];
}

__global__ void uniform_add(float *out, size_t n, const float *incr) {
    size_t i = (size_t)blockIdx.x * N + threadIdx.x;
    if (i < n) out[i] += incr[blockIdx.x];
}

/* n up to 512^3 */
void scan_exclusive_float(const float *in, size_t n, float *out) {
    static float *mem = NULL;
    static size_t have = 0;
    size_t b1 = (n + N - 1) / N;
    size_t b2 = (b1 + N - 1) / N;
    if (have < b1 + b2) {
        cudaFree(mem);
        have = b1 + b2;
        cudaMalloc(&mem, have * sizeof(float));
    }
    float *s1 = mem, *s2 = mem + b1;

    blelloch<<<b1, N / 2>>>(in, n, out, s1);
    if (b1 > 1) {
        blelloch<<<b2, N / 2>>>(s1, b1, s1, s2);
        if (b2 > 1) {
            blelloch<<<1, N / 2>>>(s2, b2, s2, NULL);
            uniform_add<<<b2, N>>>(s1, b1, s2);
        }
        uniform_add<<<b1, N>>>(out, n, s1);
    }
}

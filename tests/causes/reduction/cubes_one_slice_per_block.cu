// cause: misaligned line 29
// task: cubes
// A block loads 16 bytes at a time from where its slice begins, and the slices have any length; shows when n / 128, rounded up, is more than 4 and no multiple of 4.
#include "interface.cuh"

// Sum of cubes: the input is cut into one contiguous slice per block. A block walks through its
// slice with int4 loads; what is left at the end (at most 3 elements) is taken one by one.

static const int BLOCKS = 128;
static const int THREADS = 256;

__device__ __forceinline__ long long cube(int x) {
    const long long w = x;
    return w * w * w;
}

__device__ long long blockSum(long long v) {
    __shared__ long long warpSums[THREADS / 32];
    for (int offset = 16; offset > 0; offset /= 2)
        v += __shfl_xor_sync(0xffffffff, v, offset);
    if (threadIdx.x % 32 == 0) warpSums[threadIdx.x / 32] = v;
    __syncthreads();
    long long total = 0;
    for (int w = 0; w < THREADS / 32; ++w) total += warpSums[w];
    return total;
}

__global__ void cubesOfSlices(const int* in, size_t n, long long* sliceSums) {
    const size_t length = (n + gridDim.x - 1) / gridDim.x;
    const size_t begin = min(n, blockIdx.x * length);
    const size_t end = min(n, begin + length);

    long long sum = 0;
    const int4* quads = reinterpret_cast<const int4*>(in + begin);
    const size_t count = (end - begin) / 4;
    for (size_t q = threadIdx.x; q < count; q += THREADS) {
        const int4 v = quads[q];
        sum += cube(v.x) + cube(v.y) + cube(v.z) + cube(v.w);
    }
    const size_t rest = begin + 4 * count + threadIdx.x;
    if (rest < end) sum += cube(in[rest]);

    sum = blockSum(sum);
    if (threadIdx.x == 0) sliceSums[blockIdx.x] = sum;
}

__global__ void addSlices(const long long* sliceSums, long long* out) {
    long long v = threadIdx.x < BLOCKS ? sliceSums[threadIdx.x] : 0;
    v = blockSum(v);
    if (threadIdx.x == 0) *out = v;
}

void reduce_sum(const double* /*in*/, std::size_t /*n*/, double* /*out*/) {}
void reduce_max(const float* /*in*/, std::size_t /*n*/, float* /*out*/) {}

void reduce_cubes(const int* in, std::size_t n, long long* out) {
    static long long* sliceSums = nullptr;
    if (sliceSums == nullptr) cudaMalloc((void**)&sliceSums, BLOCKS * sizeof(long long));
    cubesOfSlices<<<BLOCKS, THREADS>>>(in, n, sliceSums);
    addSlices<<<1, THREADS>>>(sliceSums, out);
}

void reduce_nested(const int* /*in*/, std::size_t /*n*/, long long* /*out*/) {}

// cause: uninitialised_output line 35 or 36
// task: exclusive_int
// The block scan stores one place further on and leaves out the first place of each tile, to which the last kernel then adds the offset.
#include "interface.cuh"

void scan_inclusive_int(const int* /*in*/, std::size_t /*n*/, int* /*out*/) {}
void scan_inclusive_float(const float* /*in*/, std::size_t /*n*/, float* /*out*/) {}
void scan_exclusive_float(const float* /*in*/, std::size_t /*n*/, float* /*out*/) {}

// Double buffered Kogge-Stone scan in dynamic shared memory. An inclusive scan, stored one place to
// the right, is an exclusive one.
__global__ void scanBlocks(const int *in, size_t n, int *out, int *blockSum)
{
    extern __shared__ int temp[];
    int tid = threadIdx.x;
    int size = blockDim.x;
    size_t first = (size_t)blockIdx.x * size;
    size_t i = first + tid;

    int pout = 0, pin = 1;
    temp[tid] = i < n ? in[i] : 0;
    __syncthreads();

    for (int offset = 1; offset < size; offset <<= 1)
    {
        pout = 1 - pout;
        pin = 1 - pout;
        if (tid >= offset)
            temp[pout * size + tid] = temp[pin * size + tid] + temp[pin * size + tid - offset];
        else
            temp[pout * size + tid] = temp[pin * size + tid];
        __syncthreads();
    }

    int result = temp[pout * size + tid];
    if (tid < size - 1)
    {
        if (i + 1 < n)
            out[i + 1] = result;
    }
    else
    {
        blockSum[blockIdx.x] = result;
    }
}

// a single warp walks over the block sums, 32 at a time
__global__ void scanBlockSums(int *blockSum, int blocks)
{
    int lane = threadIdx.x;
    int carry = 0;
    for (int base = 0; base < blocks; base += 32)
    {
        int own = base + lane < blocks ? blockSum[base + lane] : 0;
        int x = own;
        for (int d = 1; d < 32; d <<= 1)
        {
            int y = __shfl_up_sync(0xffffffff, x, d);
            if (lane >= d)
                x += y;
        }
        if (base + lane < blocks)
            blockSum[base + lane] = carry + x - own;
        carry += __shfl_sync(0xffffffff, x, 31);
    }
}

__global__ void addBlockSums(int *out, size_t n, const int *blockSum)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] += blockSum[blockIdx.x];
}

void scan_exclusive_int(const int *in, size_t n, int *out)
{
    static int *blockSum = NULL;
    static int allocated = 0;

    int threads = 512;
    int blocks = (int)((n + threads - 1) / threads);
    if (blocks > allocated)
    {
        if (blockSum != NULL)
            cudaFree(blockSum);
        cudaMalloc((void **)&blockSum, blocks * sizeof(int));
        allocated = blocks;
    }

    scanBlocks<<<blocks, threads, 2 * threads * sizeof(int)>>>(in, n, out, blockSum);
    scanBlockSums<<<1, 32>>>(blockSum, blocks);
    addBlockSums<<<blocks, threads>>>(out, n, blockSum);
}

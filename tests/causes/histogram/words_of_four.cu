// cause: signed_byte or sign_lost line 13
// task: bytes
// The word of four bytes is an int, so that >> 24 of a byte above 127 gives a negative index.
#include "interface.cuh"

static const int threadsPerBlock = 512;
static const int numBins = 256;

template <int Shift>
__device__ void addByte(unsigned int* counters, int word)
{
    const int mask = Shift == 24 ? -1 : 255;
    atomicAdd(&counters[(word >> Shift) & mask], 1);
}

__global__ void bytesKernel(const unsigned char* in, size_t n, unsigned int* bins)
{
    extern __shared__ unsigned int counters[];
    for (int i = threadIdx.x; i < numBins; i += blockDim.x)
        counters[i] = 0;
    __syncthreads();

    const int* words = (const int*)in;
    size_t tid = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    size_t stride = (size_t)blockDim.x * gridDim.x;
    for (size_t i = tid; i < n / 4; i += stride)
    {
        int word = words[i];
        addByte<0>(counters, word);
        addByte<8>(counters, word);
        addByte<16>(counters, word);
        addByte<24>(counters, word);
    }
    // remaining 0 to 3 bytes
    if (tid < n % 4)
        atomicAdd(&counters[in[n / 4 * 4 + tid]], 1);
    __syncthreads();

    for (int i = threadIdx.x; i < numBins; i += blockDim.x)
        if (counters[i] > 0)
            atomicAdd(&bins[i], counters[i]);
}

void histogram_bytes(const unsigned char* in, size_t n, unsigned int* bins)
{
    cudaMemset(bins, 0, numBins * sizeof(unsigned int));
    int device = 0, sms = 1;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device);
    size_t wanted = (n / 4 + threadsPerBlock * 8 - 1) / (threadsPerBlock * 8) + 1;
    int blocks = wanted < (size_t)sms * 2 ? (int)wanted : sms * 2;
    bytesKernel<<<blocks, threadsPerBlock, numBins * sizeof(unsigned int)>>>(in, n, bins);
}

// cause: size_in_elements line 44
// task: gather
// The third launch parameter is a number of bytes, and it gets the number of indices: the shared array has a quarter
// of the room that the block uses.
#include "interface.cuh"

typedef std::uint32_t u32;

extern __shared__ u32 rows[];

/*
 * A block takes blockDim.x cells. First all of its threads load the 4 * blockDim.x indices together
 * (neighbouring threads, neighbouring addresses), then each thread picks its row.
 */
__global__ void gather_staged(const float* value, const u32* neighbour, size_t n, float* out)
{
    const size_t cell0 = (size_t)blockIdx.x * blockDim.x;
    const size_t cells = n - cell0 < blockDim.x ? n - cell0 : blockDim.x;

    for (int j = threadIdx.x; j < 4 * cells; j += blockDim.x)
        rows[j] = neighbour[4 * cell0 + j];

    __syncthreads();

    if (threadIdx.x < cells) {
        const u32* my = rows + 4 * threadIdx.x;
        float a = value[my[0]];
        float b = value[my[1]];
        float c = value[my[2]];
        float d = value[my[3]];
        out[cell0 + threadIdx.x] = (a + b) + (c + d);
    }
}

static size_t div_up(size_t a, size_t b)
{
    return (a + b - 1) / b;
}

void gather_sum(const float* value, size_t m, const u32* neighbour, size_t n, float* out)
{
    const size_t block = 256;
    const size_t grid = div_up(n, block);
    const size_t shared = 4 * block;
    gather_staged<<<grid, block, shared>>>(value, neighbour, n, out);
}

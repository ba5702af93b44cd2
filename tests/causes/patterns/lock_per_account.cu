// cause: lock_not_initialised line 34
// task: scatter
// The locks come straight from cudaMalloc and are not set to 0, so that a lock may be taken from the beginning.
#include "interface.cuh"

const int UNLOCKED = 0;
const int LOCKED = 1;

__global__ void book_locked(const int32_t* value, const uint32_t* target, size_t n, int* locks, volatile int64_t* total)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    uint32_t account = target[i];
    bool done = false;
    while (!done) {
        if (atomicCAS(&locks[account], UNLOCKED, LOCKED) == UNLOCKED) {
            __threadfence();
            total[account] = total[account] + value[i];
            __threadfence();
            atomicExch(&locks[account], UNLOCKED);
            done = true;
        }
    }
}

void scatter_add(const int32_t* value, const uint32_t* target, size_t n, size_t m, int64_t* total)
{
    cudaMemset(total, 0, m * sizeof(int64_t));
    if (n == 0) return;

    // one lock per account
    int* locks = NULL;
    cudaMalloc((void**)&locks, m * sizeof(int));

    book_locked<<<(n + 127) / 128, 128>>>(value, target, n, locks, total);
    cudaFree(locks);
}

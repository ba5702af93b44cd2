// cause: in_place line 55
// task: nested
// From the third level on each level writes its sums to the array that it reads, so block 1 can overwrite an element that block 0 has yet to read; it shows for n above 32768.
#include "interface.cuh"

static const int GROUP = 32;   // one warp, one block, one group

// ---- sizes ----

__host__ __device__ unsigned int number_of_groups(unsigned long long count) {
    unsigned long long groups = (count + GROUP - 1) / GROUP;
    if (groups == 0) {
        groups = 1;
    }
    return (unsigned int)groups;
}

// ---- what a group does ----

__device__ unsigned long long my_index() {
    return (unsigned long long)blockIdx.x * GROUP + threadIdx.x;
}

__device__ long long sum_of_group(long long value) {
    for (int distance = GROUP / 2; distance > 0; distance = distance / 2) {
        value = value + __shfl_down_sync(0xffffffff, value, distance);
    }
    return value;
}

__device__ bool i_am_the_leader() { return threadIdx.x == 0; }

__device__ bool i_am_the_first_of_all() { return blockIdx.x == 0 && threadIdx.x == 0; }

// ---- the levels above the first ----

__global__ void upper_level(long long* from, long long* to, unsigned int count, long long* out) {
    long long value = 0;
    if (my_index() < count) {
        value = from[my_index()];
    }
    value = sum_of_group(value);

    if (gridDim.x == 1) {
        if (i_am_the_leader()) {
            *out = value;
        }
        return;
    }
    if (i_am_the_leader()) {
        to[blockIdx.x] = value;
    }
    if (i_am_the_first_of_all()) {
        unsigned int groups = gridDim.x;
        upper_level<<<number_of_groups(groups), GROUP, 0, cudaStreamTailLaunch>>>(to, to, groups, out);
    }
}

// ---- the first level, which reads the input ----

__global__ void first_level(const int* in, unsigned long long n, long long* one, long long* two,
                            long long* out) {
    long long value = 0;
    if (my_index() < n) {
        value = in[my_index()];
    }
    value = sum_of_group(value);
    if (i_am_the_leader()) {
        one[blockIdx.x] = value;
    }
    if (i_am_the_first_of_all()) {
        unsigned int groups = gridDim.x;
        upper_level<<<number_of_groups(groups), GROUP, 0, cudaStreamTailLaunch>>>(one, two, groups, out);
    }
}

// ---- host ----

static long long* work_space(size_t elements) {
    static long long* memory = nullptr;
    static size_t capacity = 0;
    if (elements > capacity) {
        cudaFree(memory);
        cudaMalloc(&memory, elements * sizeof(long long));
        capacity = elements;
    }
    return memory;
}

void reduce_nested(const int* in, std::size_t n, long long* out) {
    unsigned int groups = number_of_groups(n);
    long long* memory = work_space(2 * (size_t)groups);
    first_level<<<groups, GROUP>>>(in, n, memory, memory + groups, out);
}

void reduce_sum(const double*, std::size_t, double*) {}

void reduce_max(const float*, std::size_t, float*) {}

void reduce_cubes(const int*, std::size_t, long long*) {}

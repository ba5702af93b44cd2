// cause: not_a_power_of_two line 77
// task: exclusive_int
// The tree of the last tile is built over the elements that are there and not over the whole tile padded with zeros, so it is wrong where their number is no power of two.
#include "interface.cuh"

// number of elements that one block works on (two for each thread)
static const int ELEMENTS_PER_BLOCK = 512;
static const int THREADS_PER_BLOCK = ELEMENTS_PER_BLOCK / 2;

// -------------------- device helpers --------------------

__device__ int elements_in_tile(size_t n, size_t tile_start) {
    size_t left = n - tile_start;
    if (left > (size_t)ELEMENTS_PER_BLOCK) {
        return ELEMENTS_PER_BLOCK;
    }
    return (int)left;
}

__device__ void load_one(int* tile, const int* in, size_t n, size_t tile_start, int position) {
    size_t index = tile_start + (size_t)position;
    if (index < n) {
        tile[position] = in[index];
    } else {
        tile[position] = 0;
    }
}

__device__ void store_one(const int* tile, int* out, size_t n, size_t tile_start, int position) {
    size_t index = tile_start + (size_t)position;
    if (index < n) {
        out[index] = tile[position];
    }
}

// The way up: afterwards the last element of the tree holds the sum of all.
__device__ void way_up(int* tile, int size) {
    int distance = 1;
    for (int pairs = size / 2; pairs > 0; pairs = pairs / 2) {
        __syncthreads();
        if (threadIdx.x < pairs) {
            int left = distance * (2 * threadIdx.x + 1) - 1;
            int right = distance * (2 * threadIdx.x + 2) - 1;
            tile[right] = tile[right] + tile[left];
        }
        distance = distance * 2;
    }
    __syncthreads();
}

// The way down: the left child gets the parent's value, the right one that plus the left sum.
__device__ void way_down(int* tile, int size) {
    int distance = size / 2;
    for (int pairs = 1; pairs < size; pairs = pairs * 2) {
        __syncthreads();
        if (threadIdx.x < pairs) {
            int left = distance * (2 * threadIdx.x + 1) - 1;
            int right = distance * (2 * threadIdx.x + 2) - 1;
            int old_left = tile[left];
            tile[left] = tile[right];
            tile[right] = tile[right] + old_left;
        }
        distance = distance / 2;
    }
    __syncthreads();
}

// -------------------- kernels --------------------

__global__ void scan_each_tile(const int* in, size_t n, int* out, int* tile_sums) {
    __shared__ int tile[ELEMENTS_PER_BLOCK];
    size_t tile_start = (size_t)blockIdx.x * ELEMENTS_PER_BLOCK;
    load_one(tile, in, n, tile_start, threadIdx.x);
    load_one(tile, in, n, tile_start, threadIdx.x + THREADS_PER_BLOCK);
    __syncthreads();

    int size = elements_in_tile(n, tile_start);
    way_up(tile, size);
    if (threadIdx.x == 0) {
        tile_sums[blockIdx.x] = tile[size - 1];
        tile[size - 1] = 0;
    }
    way_down(tile, size);

    store_one(tile, out, n, tile_start, threadIdx.x);
    store_one(tile, out, n, tile_start, threadIdx.x + THREADS_PER_BLOCK);
}

__global__ void add_to_each_tile(int* out, size_t n, const int* scanned_sums) {
    int before_this_tile = scanned_sums[blockIdx.x];
    size_t tile_start = (size_t)blockIdx.x * ELEMENTS_PER_BLOCK;
    int count = elements_in_tile(n, tile_start);
    for (int position = threadIdx.x; position < count; position += blockDim.x) {
        out[tile_start + position] += before_this_tile;
    }
}

// -------------------- host --------------------

static int tiles_for(size_t n) { return (int)((n + ELEMENTS_PER_BLOCK - 1) / ELEMENTS_PER_BLOCK); }

static int* new_ints(int count) {
    int* pointer = nullptr;
    cudaMalloc((void**)&pointer, (size_t)count * sizeof(int));
    return pointer;
}

static void exclusive_scan(const int* in, size_t n, int* out) {
    int tiles = tiles_for(n);
    int* sums = new_ints(tiles);
    scan_each_tile<<<tiles, THREADS_PER_BLOCK>>>(in, n, out, sums);
    if (tiles > 1) {
        int* scanned = new_ints(tiles);
        exclusive_scan(sums, (size_t)tiles, scanned);
        add_to_each_tile<<<tiles, THREADS_PER_BLOCK>>>(out, n, scanned);
        cudaFree(scanned);
    }
    cudaFree(sums);
}

void scan_exclusive_int(const int* in, std::size_t n, int* out) { exclusive_scan(in, n, out); }

void scan_inclusive_int(const int*, std::size_t, int*) {}

void scan_inclusive_float(const float*, std::size_t, float*) {}

void scan_exclusive_float(const float*, std::size_t, float*) {}

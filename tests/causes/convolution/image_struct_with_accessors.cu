// cause: transposed line 115
// task: conv2d_bytes
// makeImage takes the rows before the columns but gets the width first, so every image that is not square has a row of the wrong length.
#include "interface.cuh"

typedef unsigned char Pixel;

// ===================== the image =====================

struct Image {
    const Pixel* pixels;
    int rows;
    int columns;
};

static Image makeImage(const Pixel* pixels, int rows, int columns) {
    Image image;
    image.pixels = pixels;
    image.rows = rows;
    image.columns = columns;
    return image;
}

// ===================== ghost cells =====================

enum GhostPolicy { ZERO = 0, REPLICATE = 1, MIRROR = 2 };

__device__ int replicated(int index, int size) {
    if (index < 0) {
        return 0;
    }
    if (index >= size) {
        return size - 1;
    }
    return index;
}

__device__ int mirrored(int index, int size) {
    while (index < 0 || index >= size) {
        if (index < 0) {
            index = -1 - index;
        } else {
            index = 2 * size - 1 - index;
        }
    }
    return index;
}

__device__ bool isInside(const Image& image, int row, int column) {
    return row >= 0 && row < image.rows && column >= 0 && column < image.columns;
}

__device__ Pixel pixelAt(const Image& image, int row, int column) {
    return image.pixels[(size_t)row * image.columns + column];
}

__device__ Pixel pixelOrGhostAt(const Image& image, int row, int column, int ghost) {
    if (isInside(image, row, column)) {
        return pixelAt(image, row, column);
    }
    if (ghost == REPLICATE) {
        return pixelAt(image, replicated(row, image.rows), replicated(column, image.columns));
    }
    if (ghost == MIRROR) {
        return pixelAt(image, mirrored(row, image.rows), mirrored(column, image.columns));
    }
    return 0;
}

// ===================== the kernel =====================

static const int MAXIMAL_MASK = 31;

__device__ void loadMask(const Pixel* mask, int maskWidth, Pixel* cachedMask) {
    int me = threadIdx.y * blockDim.x + threadIdx.x;
    int all = blockDim.x * blockDim.y;
    for (int tap = me; tap < maskWidth * maskWidth; tap += all) {
        cachedMask[tap] = mask[tap];
    }
}

__device__ unsigned int weightedSum(const Image& image, int row, int column,
                                    const Pixel* cachedMask, int maskWidth, int ghost) {
    int radius = maskWidth / 2;
    unsigned int sum = 0;
    for (int j = 0; j < maskWidth; j++) {
        for (int k = 0; k < maskWidth; k++) {
            Pixel pixel = pixelOrGhostAt(image, row - radius + j, column - radius + k, ghost);
            sum += (unsigned int)cachedMask[j * maskWidth + k] * (unsigned int)pixel;
        }
    }
    return sum;
}

__global__ void convolveImage(Image image, const Pixel* mask, int maskWidth, int ghost, Pixel* out) {
    __shared__ Pixel cachedMask[MAXIMAL_MASK * MAXIMAL_MASK];
    loadMask(mask, maskWidth, cachedMask);
    __syncthreads();

    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (!isInside(image, row, column)) {
        return;
    }
    unsigned int sum = weightedSum(image, row, column, cachedMask, maskWidth, ghost);
    out[(size_t)row * image.columns + column] = (Pixel)sum;
}

// ===================== host =====================

static int blocksFor(int length, int blockLength) { return (length + blockLength - 1) / blockLength; }

void convolve_2d_bytes(const unsigned char* in, int width, int height, const unsigned char* mask,
                       int mask_width, int ghost, unsigned char* out) {
    Image image = makeImage(in, width, height);
    dim3 block(16, 16);
    dim3 grid(blocksFor(image.columns, 16), blocksFor(image.rows, 16));
    convolveImage<<<grid, block>>>(image, mask, mask_width, ghost, out);
}

void convolve_1d(const float*, std::size_t, const float*, int, int, float*) {}

void convolve_2d_float(const float*, int, int, const float*, int, int, float*) {}

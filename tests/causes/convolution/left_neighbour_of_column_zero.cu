// cause: unsigned_index line 49 or 55
// task: conv2d_bytes
// x and y are unsigned: left of and above the image the index becomes 4294967295, which replicate and mirror take for the other side
#include "interface.cuh"

typedef unsigned char byte;

struct Replicate {
    static __device__ long long place(long long k, int n) {
        return k < 0 ? 0 : k >= n ? n - 1 : k;
    }
};

struct Mirror {
    static __device__ long long place(long long k, int n) {
        const long long period = 2ll * n;
        k = (k % period + period) % period;
        return k < n ? k : period - 1 - k;
    }
};

struct Zero {
    static __device__ long long place(long long k, int n) { return k < 0 || k >= n ? -1 : k; }
};

struct Picture {
    const byte* pixels;
    int width, height;

    template <class Policy> __device__ unsigned at(long long row, long long column) const {
        const long long r = Policy::place(row, height), c = Policy::place(column, width);
        return r < 0 || c < 0 ? 0u : pixels[r * width + c];
    }
};

struct Mask {
    const byte* weights;
    int width, radius;
};

// One thread per pixel. The block keeps the mask, all threads want the same weight of it.
template <class Policy> __global__ void filter(Picture in, Mask mask, byte* out) {
    __shared__ byte weight[31 * 31];
    for (int t = threadIdx.y * blockDim.x + threadIdx.x; t < mask.width * mask.width;
         t += blockDim.x * blockDim.y)
        weight[t] = mask.weights[t];
    __syncthreads();

    const unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= in.width || y >= in.height) return;
    unsigned sum = 0;
    for (int j = 0; j < mask.width; ++j)
        for (int i = 0; i < mask.width; ++i)
            sum += weight[j * mask.width + i] *
                   in.at<Policy>(y + j - mask.radius, x + i - mask.radius);
    out[static_cast<std::size_t>(y) * in.width + x] = static_cast<byte>(sum & 255u);
}

void convolve_2d_bytes(const unsigned char* in, int width, int height, const unsigned char* mask,
                       int mask_width, int ghost, unsigned char* out) {
    const dim3 threads(32, 4);
    const dim3 blocks((width + threads.x - 1) / threads.x, (height + threads.y - 1) / threads.y);
    const Picture picture{in, width, height};
    const Mask m{mask, mask_width, mask_width / 2};
    using Kernel = void (*)(Picture, Mask, byte*);
    const Kernel kernels[] = {filter<Zero>, filter<Replicate>, filter<Mirror>};
    kernels[ghost]<<<blocks, threads>>>(picture, m, out);
}

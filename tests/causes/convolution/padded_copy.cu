// cause: use_after_free line 62
// task: conv2d_float
// the padded copy of the image lives in a temporary that frees its memory at the end of the statement, before the kernels use it
#include "interface.cuh"
#include <cstddef>

// owns device memory
template <typename T>
struct DeviceArray {
    T* ptr = nullptr;
    explicit DeviceArray(std::size_t count) { cudaMalloc(&ptr, count * sizeof(T)); }
    ~DeviceArray() { cudaFree(ptr); }
    DeviceArray(const DeviceArray&) = delete;
    T* get() const { return ptr; }
};

__host__ __device__ inline int mirror(int k, int n) {
    k %= 2 * n;
    if (k < 0) k += 2 * n;
    return k < n ? k : 2 * n - 1 - k;
}

// the image with all its ghost cells around it
__global__ void pad(const float* in, int w, int h, int r, int ghost, float* padded) {
    const int pw = w + 2 * r, ph = h + 2 * r;
    const int px = blockIdx.x * blockDim.x + threadIdx.x;
    const int py = blockIdx.y * blockDim.y + threadIdx.y;
    if (px >= pw || py >= ph) return;

    int x = px - r, y = py - r;
    float v = 0.0f;
    const bool inside = x >= 0 && x < w && y >= 0 && y < h;
    if (inside || ghost != 0) {
        if (ghost == 1) {
            x = max(0, min(w - 1, x));
            y = max(0, min(h - 1, y));
        } else if (ghost == 2) {
            x = mirror(x, w);
            y = mirror(y, h);
        }
        v = in[std::size_t(y) * w + x];
    }
    padded[std::size_t(py) * pw + px] = v;
}

__global__ void weigh(const float* padded, int w, int h, const float* mask, int mw, float* out) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    const int pw = w + mw - 1;
    float s = 0.0f;
    for (int j = 0; j < mw; ++j) {
        const float* row = padded + std::size_t(y + j) * pw + x;
        for (int k = 0; k < mw; ++k) s += mask[j * mw + k] * row[k];
    }
    out[std::size_t(y) * w + x] = s;
}

void convolve_2d_float(const float* in, int width, int height, const float* mask, int mask_width, int ghost,
                       float* out) {
    const int pw = width + mask_width - 1, ph = height + mask_width - 1;
    float* padded = DeviceArray<float>(std::size_t(pw) * ph).get();
    const dim3 block(32, 4);
    auto cover = [&](int w, int h) { return dim3((w + block.x - 1) / block.x, (h + block.y - 1) / block.y); };
    pad<<<cover(pw, ph), block>>>(in, width, height, mask_width / 2, ghost, padded);
    weigh<<<cover(width, height), block>>>(padded, width, height, mask, mask_width, out);
}

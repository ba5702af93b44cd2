// cause: radius_wrong line 65
// task: conv2d_bytes
// The tile begins at the radius of the largest mask instead of that of this one; wrong unless the mask is 31 wide.
#include "interface.cuh"

// convolution, third version: tiles everywhere

#define MAX_MASK 31
#define MAX_RADIUS (MAX_MASK / 2)
#define TX 32          // outputs of a block, across
#define TY 16          // and down
#define PIECE 1024     // taps that are in constant memory at a time (1D)

__constant__ float maskF[MAX_MASK * MAX_MASK];
__constant__ unsigned char maskB[MAX_MASK * MAX_MASK];
__constant__ float mask1[PIECE];

struct Ghost {
    int policy;

    __device__ bool find(long long k, long long n, long long& where) const
    {
        where = k;
        if (k < 0 || k >= n) {
            switch (policy) {
            case 0:
                return false;
            case 1:
                where = k < 0 ? 0 : n - 1;
                break;
            default:
                where = ((k % (2 * n)) + 2 * n) % (2 * n);
                if (where >= n) where = 2 * n - 1 - where;
            }
        }
        return true;
    }
};

// upper left corner of the input that this block needs
__device__ int2 cornerOfTile(int radius)
{
    return make_int2((int)blockIdx.x * TX - radius, (int)blockIdx.y * TY - radius);
}

template <typename T>
__device__ void loadTile(T* tile, int pitch, int w, int h, int2 corner, const T* in, int width, int height, Ghost g)
{
    const int me = threadIdx.y * TX + threadIdx.x;
    for (int k = me; k < w * h; k += TX * TY) {
        const int x = k % w, y = k / w;
        long long sx, sy;
        T v = 0;
        if (g.find(corner.x + x, width, sx) && g.find(corner.y + y, height, sy))
            v = in[sy * width + sx];
        tile[y * pitch + x] = v;
    }
}

__global__ void convBytes(const unsigned char* in, int width, int height, int maskWidth, Ghost g, unsigned char* out)
{
    const int PITCH = TX + 2 * MAX_RADIUS;
    __shared__ unsigned char tile[(TY + 2 * MAX_RADIUS) * PITCH];
    const int r = maskWidth / 2;
    loadTile(tile, PITCH, TX + 2 * r, TY + 2 * r, cornerOfTile(MAX_RADIUS), in, width, height, g);
    __syncthreads();

    const int x = blockIdx.x * TX + threadIdx.x, y = blockIdx.y * TY + threadIdx.y;
    if (x >= width || y >= height) return;
    unsigned int sum = 0;
    const unsigned char* tap = maskB;
    for (int j = 0; j < maskWidth; j++) {
        const unsigned char* row = tile + (threadIdx.y + j) * PITCH + threadIdx.x;
        for (int k = 0; k < maskWidth; k++)
            sum += (unsigned int)row[k] * *tap++;
    }
    out[(size_t)y * width + x] = (unsigned char)(sum & 0xff);
}

__global__ void convFloat(const float* in, int width, int height, int maskWidth, Ghost g, float* out)
{
    extern __shared__ float ftile[];
    const int r = maskWidth / 2;
    const int pitch = TX + maskWidth - 1;
    loadTile(ftile, pitch, pitch, TY + maskWidth - 1, cornerOfTile(r), in, width, height, g);
    __syncthreads();

    const int x = blockIdx.x * TX + threadIdx.x, y = blockIdx.y * TY + threadIdx.y;
    if (x >= width || y >= height) return;
    float sum = 0;
    for (int j = 0; j < maskWidth; j++)
        for (int k = 0; k < maskWidth; k++)
            sum = fmaf(ftile[(threadIdx.y + j) * pitch + threadIdx.x + k], maskF[j * maskWidth + k], sum);
    out[(size_t)y * width + x] = sum;
}

// `taps` taps, the first of which meets in[i + shift]
__global__ void conv1(const float* in, size_t n, int taps, long long shift, Ghost g, bool more, float* out)
{
    __shared__ float tile[2 * 512 + PIECE];
    const size_t begin = (size_t)blockIdx.x * 1024;
    for (int k = threadIdx.x; k < 1024 + taps - 1; k += blockDim.x) {
        long long s;
        tile[k] = g.find((long long)begin + shift + k, (long long)n, s) ? in[s] : 0.0f;
    }
    __syncthreads();
    for (int half = 0; half < 2; half++) {
        const int t = threadIdx.x + half * 512;
        const size_t i = begin + t;
        if (i < n) {
            float sum = more ? out[i] : 0.0f;
            for (int j = 0; j < taps; j++)
                sum += mask1[j] * tile[t + j];
            out[i] = sum;
        }
    }
}

void convolve_1d(const float* in, std::size_t n, const float* mask, int mask_width, int ghost,
                 float* out)
{
    const long long r = mask_width / 2;
    int done = 0;
    while (done < mask_width) {
        int now = mask_width - done;
        if (now > PIECE) now = PIECE;
        cudaMemcpyToSymbol(mask1, mask + done, now * sizeof(float), 0, cudaMemcpyDeviceToDevice);
        conv1<<<(unsigned)((n + 1023) / 1024), 512>>>(in, n, now, done - r, Ghost{ghost}, done != 0, out);
        done += now;
    }
}

static dim3 gridFor(int width, int height)
{
    return dim3((width + TX - 1) / TX, (height + TY - 1) / TY);
}

void convolve_2d_bytes(const unsigned char* in, int width, int height, const unsigned char* mask,
                       int mask_width, int ghost, unsigned char* out)
{
    cudaMemcpyToSymbol(maskB, mask, mask_width * mask_width, 0, cudaMemcpyDeviceToDevice);
    convBytes<<<gridFor(width, height), dim3(TX, TY)>>>(in, width, height, mask_width, Ghost{ghost}, out);
}

void convolve_2d_float(const float* in, int width, int height, const float* mask, int mask_width,
                       int ghost, float* out)
{
    cudaMemcpyToSymbol(maskF, mask, mask_width * mask_width * sizeof(float), 0, cudaMemcpyDeviceToDevice);
    const size_t shared = (TX + mask_width - 1) * (TY + mask_width - 1) * sizeof(float);
    convFloat<<<gridFor(width, height), dim3(TX, TY), shared>>>(in, width, height, mask_width, Ghost{ghost}, out);
}

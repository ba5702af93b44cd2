// Loops that keep what they found last while the next value is read: the copy has to outlive the
// original.
#include "check.h"

/// Of every so many places, the last that costs little, as a whole and its two halves, and the cost.
/// Nothing has a value before the first is found.
__global__ void last_cheap(const unsigned* places, const float* cost, int count, float limit,
                           unsigned* out) {
    const int t = threadIdx.x;
    bool found = false;
    float paid;
    unsigned whole;
    unsigned short row, column;
#pragma unroll 1
    for (int n = t; n < count; n += blockDim.x) {
        const unsigned packed = places[n];
        const float now = cost[n];
        if (now < limit) {
            found = true;
            paid = now;
            whole = packed;
            row = static_cast<unsigned short>(packed & 0xFFFF);
            column = static_cast<unsigned short>(packed >> 16);
        }
    }
    if (!found) return;
    if (row > column) {
        const unsigned short other = row;
        row = column;
        column = other;
        whole = ~whole;
    }
    out[4 * t] = whole;
    out[4 * t + 1] = row;
    out[4 * t + 2] = column;
    out[4 * t + 3] = static_cast<unsigned>(paid);
}

int main() {
    constexpr int threads = 96, count = 1000;
    constexpr float limit = 150;
    static unsigned places[count], out[4 * threads];
    static float cost[count];
    for (int n = 0; n < count; ++n) {
        places[n] = 2654435761u * (n + 1);
        cost[n] = static_cast<float>((n * 7919) % 1009);
    }
    unsigned *device_places, *device_out;
    float* device_cost;
    CUDA(cudaMalloc(&device_places, sizeof places));
    CUDA(cudaMalloc(&device_cost, sizeof cost));
    CUDA(cudaMalloc(&device_out, sizeof out));
    CUDA(cudaMemcpy(device_places, places, sizeof places, cudaMemcpyHostToDevice));
    CUDA(cudaMemcpy(device_cost, cost, sizeof cost, cudaMemcpyHostToDevice));
    CUDA(cudaMemset(device_out, 0, sizeof out));
    last_cheap<<<1, threads>>>(device_places, device_cost, count, limit, device_out);
    CUDA(cudaMemcpy(out, device_out, sizeof out, cudaMemcpyDeviceToHost));
    int wrong = 0;
    for (int t = 0; t < threads; ++t) {
        int last = -1;
        for (int n = t; n < count; n += threads)
            if (cost[n] < limit) last = n;
        unsigned whole = last < 0 ? 0 : places[last], low = whole & 0xFFFF, high = whole >> 16;
        const unsigned paid = last < 0 ? 0 : static_cast<unsigned>(cost[last]);
        if (low > high) {
            const unsigned other = low;
            low = high;
            high = other;
            whole = ~whole;
        }
        wrong += out[4 * t] != whole || out[4 * t + 1] != low || out[4 * t + 2] != high ||
                 out[4 * t + 3] != paid;
    }
    if (wrong != 0) std::printf("%d of %d threads kept something else\n", wrong, threads);
    return wrong != 0;
}

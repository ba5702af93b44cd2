// Steps of a gravitational n-body simulation, bodies in tiles of shared memory, leapfrog. The total
// momentum must stay, and the positions must be those of the host's sum.
#include <cmath>
#include <cstdio>
#include <vector>

constexpr float softening = 0.01f;

__host__ __device__ inline void attract(float4 self, float4 other, float3& force) {
    const float dx = other.x - self.x, dy = other.y - self.y, dz = other.z - self.z;
    const float squared = dx * dx + dy * dy + dz * dz + softening;
#ifdef __CUDA_ARCH__
    const float inverse = rsqrtf(squared);
#else
    const float inverse = 1.0f / std::sqrt(squared);
#endif
    const float scale = other.w * inverse * inverse * inverse;
    force.x += dx * scale;
    force.y += dy * scale;
    force.z += dz * scale;
}

__global__ void accelerate(const float4* bodies, float3* velocities, int n, float dt) {
    extern __shared__ float4 tile[];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const float4 self = i < n ? bodies[i] : make_float4(0, 0, 0, 0);
    float3 force = make_float3(0, 0, 0);
    for (int start = 0; start < n; start += blockDim.x) {
        const int j = start + threadIdx.x;
        tile[threadIdx.x] = j < n ? bodies[j] : make_float4(0, 0, 0, 0);
        __syncthreads();
#pragma unroll 8
        for (int k = 0; k < blockDim.x; ++k) attract(self, tile[k], force);
        __syncthreads();
    }
    if (i < n) {
        velocities[i].x += dt * force.x;
        velocities[i].y += dt * force.y;
        velocities[i].z += dt * force.z;
    }
}

__global__ void move(float4* bodies, const float3* velocities, int n, float dt) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    bodies[i].x += dt * velocities[i].x;
    bodies[i].y += dt * velocities[i].y;
    bodies[i].z += dt * velocities[i].z;
}

int main() {
    const int n = 300, steps = 3;
    const float dt = 0.001f;
    std::vector<float4> bodies(n);
    std::vector<float3> velocities(n, make_float3(0, 0, 0));
    unsigned state = 1;
    const auto random = [&] {
        state = state * 1664525u + 1013904223u;
        return (state >> 8) * (1.0f / (1 << 24)) - 0.5f;
    };
    for (float4& b : bodies) b = make_float4(random(), random(), random(), 1.0f / n);
    float4* d_bodies;
    float3* d_velocities;
    cudaMalloc((void**)&d_bodies, n * sizeof(float4));
    cudaMalloc((void**)&d_velocities, n * sizeof(float3));
    cudaMemcpy(d_bodies, bodies.data(), n * sizeof(float4), cudaMemcpyHostToDevice);
    cudaMemset(d_velocities, 0, n * sizeof(float3));
    const int threads = 64, blocks = (n + threads - 1) / threads;
    for (int s = 0; s < steps; ++s) {
        accelerate<<<blocks, threads, threads * sizeof(float4)>>>(d_bodies, d_velocities, n, dt);
        move<<<blocks, threads>>>(d_bodies, d_velocities, n, dt);
    }
    std::vector<float4> moved(n);
    std::vector<float3> faster(n);
    cudaMemcpy(moved.data(), d_bodies, n * sizeof(float4), cudaMemcpyDeviceToHost);
    cudaMemcpy(faster.data(), d_velocities, n * sizeof(float3), cudaMemcpyDeviceToHost);
    if (cudaError_t e = cudaGetLastError(); e != cudaSuccess) {
        std::printf("CUDA: %s\n", cudaGetErrorString(e));
        return 1;
    }
    for (int s = 0; s < steps; ++s) {
        for (int i = 0; i < n; ++i) {
            float3 force = make_float3(0, 0, 0);
            for (int j = 0; j < n; ++j) attract(bodies[i], bodies[j], force);
            velocities[i].x += dt * force.x;
            velocities[i].y += dt * force.y;
            velocities[i].z += dt * force.z;
        }
        for (int i = 0; i < n; ++i) {
            bodies[i].x += dt * velocities[i].x;
            bodies[i].y += dt * velocities[i].y;
            bodies[i].z += dt * velocities[i].z;
        }
    }
    double worst = 0, momentum = 0, speed = 0;
    for (int i = 0; i < n; ++i) {
        worst = std::fmax(worst, std::fabs(moved[i].x - bodies[i].x));
        worst = std::fmax(worst, std::fabs(faster[i].y - velocities[i].y));
        momentum += faster[i].x * bodies[i].w;
        speed += std::fabs(faster[i].x) * bodies[i].w;
    }
    std::printf("difference %g, momentum %g of %g\n", worst, momentum, speed);
    return worst < 1e-4 && speed > 1e-4 && std::fabs(momentum) < 1e-3 * speed ? 0 : 1;
}

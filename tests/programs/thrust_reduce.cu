// Mean and variance of a sample in one pass, with thrust::transform_reduce.
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/transform_reduce.h>

#include <cmath>
#include <cstdio>

struct Moments {
    double n = 0, mean = 0, m2 = 0;
};

struct One {
    __host__ __device__ Moments operator()(int i) const {
        Moments m;
        m.n = 1;
        m.mean = sin(0.001 * i);
        return m;
    }
};

struct Combine {
    __host__ __device__ Moments operator()(const Moments& a, const Moments& b) const {
        if (a.n == 0) return b;
        if (b.n == 0) return a;
        Moments m;
        m.n = a.n + b.n;
        const double delta = b.mean - a.mean;
        m.mean = a.mean + delta * b.n / m.n;
        m.m2 = a.m2 + b.m2 + delta * delta * a.n * b.n / m.n;
        return m;
    }
};

int main() {
    const int n = 20000;
    const thrust::counting_iterator<int> first(0);
    const Moments device =
        thrust::transform_reduce(thrust::device, first, first + n, One(), Moments(), Combine());
    Moments host;
    for (int i = 0; i < n; ++i) host = Combine()(host, One()(i));
    std::printf("mean %.9f, variance %.9f\n", device.mean, device.m2 / device.n);
    const bool ok = device.n == n && std::fabs(device.mean - host.mean) < 1e-9 &&
                    std::fabs(device.m2 - host.m2) < 1e-6;
    if (!ok) std::printf("expected %.9f and %.9f\n", host.mean, host.m2 / host.n);
    return ok ? 0 : 1;
}

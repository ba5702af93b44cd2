// Sorts structures by a comparison, and words by a key, with Thrust.
#include <thrust/device_vector.h>
#include <thrust/host_vector.h>
#include <thrust/sequence.h>
#include <thrust/sort.h>
#include <thrust/transform.h>

#include <algorithm>
#include <cstdio>
#include <random>

struct Particle {
    float energy;
    int id;
};

struct ByEnergy {
    __host__ __device__ bool operator()(const Particle& a, const Particle& b) const {
        return a.energy < b.energy || (a.energy == b.energy && a.id < b.id);
    }
};

struct Shuffled {
    __host__ __device__ int operator()(int i) const { return (i * 7919) % 3001; }
};

int main() {
    const int n = 3000;
    std::mt19937 random(7);
    thrust::host_vector<Particle> particles(n);
    for (int i = 0; i < n; ++i) particles[i] = {static_cast<float>(random() % 500), i};

    thrust::device_vector<Particle> on_device = particles;
    thrust::sort(on_device.begin(), on_device.end(), ByEnergy());
    thrust::host_vector<Particle> sorted = on_device;
    std::sort(particles.begin(), particles.end(), ByEnergy());
    for (int i = 0; i < n; ++i)
        if (sorted[i].id != particles[i].id) {
            std::printf("particle %d: %d instead of %d\n", i, sorted[i].id, particles[i].id);
            return 1;
        }

    thrust::device_vector<int> keys(n), values(n);
    thrust::sequence(values.begin(), values.end());
    thrust::transform(values.begin(), values.end(), keys.begin(), Shuffled());
    thrust::sort_by_key(keys.begin(), keys.end(), values.begin());
    thrust::host_vector<int> k = keys, v = values;
    for (int i = 0; i < n; ++i)
        if (Shuffled()(v[i]) != k[i] || (i > 0 && k[i] < k[i - 1])) {
            std::printf("key %d is wrong\n", i);
            return 1;
        }
    std::puts("both are sorted");
    return 0;
}

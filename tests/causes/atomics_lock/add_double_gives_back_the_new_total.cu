// cause: wrong_result_returned line 32
// task: add_double
// the function gives back what the word holds after the addition, not before it: every before[i] is one step too far, always
#include "interface.cuh"

// A word that atomicCAS can handle, and how to get a T in and out of it.
template <class T> struct Word;

template <> struct Word<double> {
    using Bits = unsigned long long;
    static __device__ Bits pack(double d) { return static_cast<Bits>(__double_as_longlong(d)); }
    static __device__ double unpack(Bits b) {
        return __longlong_as_double(static_cast<long long>(b));
    }
};

struct Plus {
    double amount;
    __device__ double operator()(double x) const { return x + amount; }
};

// *address = f(*address), nobody in between.
template <class T, class F> __device__ T atomic_apply(T* address, F f) {
    using W = Word<T>;
    auto* word = reinterpret_cast<typename W::Bits*>(address);
    typename W::Bits seen = *word, assumed, wanted;
    do {
        assumed = seen;
        wanted = W::pack(f(W::unpack(assumed)));
        seen = atomicCAS(word, assumed, wanted);
    } while (seen != assumed);  // compared as bits because of NaN
    return W::unpack(wanted);
}

__device__ double atomic_add_double(double* address, double value) {
    return atomic_apply(address, Plus{value});
}

struct Bookings {
    const double* values;
    const std::uint32_t* targets;
    std::size_t n;
};

__global__ void clear_totals(double* totals, std::size_t m) {
    for (std::size_t k = blockIdx.x * blockDim.x + threadIdx.x; k < m; k += gridDim.x * blockDim.x)
        totals[k] = 0.0;
}

__global__ void book(Bookings b, double* totals, double* before) {
    const std::size_t stride = static_cast<std::size_t>(gridDim.x) * blockDim.x;
    for (std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < b.n;
         i += stride)
        before[i] = atomic_add_double(totals + b.targets[i], b.values[i]);
}

void add_double(const double* values, const std::uint32_t* targets, std::size_t n, double* totals,
                std::size_t m, double* before) {
    clear_totals<<<8, 128>>>(totals, m);
    book<<<64, 128>>>(Bookings{values, targets, n}, totals, before);
}

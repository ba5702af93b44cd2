// Host threads that wait for something to do together.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace cugrade::emulator {

class Workers {
public:
    /// The calling thread is one of the `count`. The others are started when they are first needed.
    explicit Workers(unsigned count) : wanted_(count) {}
    ~Workers();
    Workers(const Workers&) = delete;
    Workers& operator=(const Workers&) = delete;

    /// Calls the job once on each thread and waits until all have returned. The job must not throw,
    /// nor rely on the number of threads: the system may give fewer.
    void run(const std::function<void()>& job);

private:
    void start();
    void wait_for_jobs();

    unsigned wanted_;
    std::mutex mutex_;
    std::condition_variable start_, done_;
    const std::function<void()>* job_ = nullptr;
    unsigned long round_ = 0;
    std::size_t busy_ = 0;
    bool ending_ = false;
    std::vector<std::thread> threads_;
};

}  // namespace cugrade::emulator

// Keeps a processor awake for a process that is about to go on there.
//
// A processor that has nothing to do sleeps, and until it runs a process that is woken takes as
// long as it takes to wake, now 20 us and now ten times as much on a virtual machine. Here a thread
// of the lowest class (SCHED_IDLE) keeps it busy. Linux takes a processor that has no other work
// for idle (sched_idle_cpu()), so that a process which ran there last is woken there, and before
// that thread. It enters the kernel all the time, because there are kernels that do not interrupt
// it for another (lazy preemption). `cugrade-bench wake` tells what it brings.
//
// An aid, no more: where the thread cannot be had, or does not get to run, nothing else changes.
#pragma once

#include <atomic>
#include <memory>

namespace cugrade::sandbox {

class AwakeProcessor {
public:
    AwakeProcessor();
    ~AwakeProcessor();
    AwakeProcessor(const AwakeProcessor&) = delete;

    /// From some 0.1 ms after this, this processor, by Linux's number, and no other. Does not wait.
    void keep(int processor);
    void release();

private:
    static constexpr int none = -1, ending = -2;
    using Wanted = std::atomic<int>;
    static void stay_awake(Wanted&);
    void want(int processor);

    /// With the thread, which nobody waits for: on a busy machine it may not run for a second.
    std::shared_ptr<Wanted> wanted_ = std::make_shared<Wanted>(none);
};

}  // namespace cugrade::sandbox

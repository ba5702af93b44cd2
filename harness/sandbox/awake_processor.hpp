// Keeps a processor awake for a process that is about to go on there.
//
// A processor that has nothing to do sleeps. A process that is woken there waits until the
// processor is awake: now 20 us, now ten times as long on a virtual machine. Here a thread of the
// lowest class (SCHED_IDLE) keeps the processor busy. Linux takes a processor that has no other
// work for idle (sched_idle_cpu()), so it wakes a process on the processor where the process ran
// last, and runs it before that thread. The thread enters the kernel all the time, because some
// kernels do not interrupt it for another (lazy preemption). `cugrade-bench wake` prints the gain.
//
// This is only an aid: if the thread cannot be started, or does not get to run, nothing else
// changes.
#pragma once

#include <atomic>
#include <memory>

namespace cugrade::sandbox {

class AwakeProcessor {
public:
    AwakeProcessor();
    ~AwakeProcessor();
    AwakeProcessor(const AwakeProcessor&) = delete;

    /// Keeps this processor (Linux's number) awake, and no other, from some 0.1 ms after the call.
    /// Does not wait.
    void keep(int processor);
    void release();

private:
    static constexpr int none = -1, ending = -2;
    using Wanted = std::atomic<int>;
    static void stay_awake(Wanted&);
    void want(int processor);

    /// Shared with the thread. Nobody waits for the thread: on a busy machine it may not run for a
    /// second.
    std::shared_ptr<Wanted> wanted_ = std::make_shared<Wanted>(none);
};

}  // namespace cugrade::sandbox

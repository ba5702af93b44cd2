#include "sandbox/awake_processor.hpp"

#include <sched.h>

#include <system_error>
#include <thread>

namespace cugrade::sandbox {
namespace {

bool is_of_the_lowest_class() {
    const sched_param none{};
    return ::sched_setscheduler(0, SCHED_IDLE, &none) == 0;  // this thread alone
}

bool moves_to(int processor) {
    cpu_set_t only;
    CPU_ZERO(&only);
    if (processor < 0 || processor >= CPU_SETSIZE) return false;
    CPU_SET(static_cast<std::size_t>(processor), &only);
    return ::sched_setaffinity(0, sizeof only, &only) == 0;
}

}  // namespace

AwakeProcessor::AwakeProcessor() {
    try {
        std::thread([wanted = wanted_] { stay_awake(*wanted); }).detach();
    } catch (const std::system_error&) {
        // A limit on processes: go on without the thread.
    }
}

AwakeProcessor::~AwakeProcessor() { want(ending); }

void AwakeProcessor::keep(int processor) {
    // The caller's own processor is awake, and the thread must not take it.
    want(processor == ::sched_getcpu() ? none : processor);
}

void AwakeProcessor::release() { want(none); }

void AwakeProcessor::want(int processor) {
    *wanted_ = processor;
    wanted_->notify_one();
}

void AwakeProcessor::stay_awake(Wanted& wanted) {
    if (!is_of_the_lowest_class()) return;
    for (;;) {
        const int mine = wanted;
        if (mine == ending) return;
        if (mine == none || !moves_to(mine)) {
            wanted.wait(mine);
            continue;
        }
        while (wanted == mine) ::sched_yield();
    }
}

}  // namespace cugrade::sandbox

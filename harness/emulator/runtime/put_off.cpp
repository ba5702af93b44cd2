#include "emulator/runtime/put_off.hpp"

#include <chrono>
#include <cstdlib>
#include <system_error>
#include <thread>

namespace cugrade::cudart {
namespace {

/// On hardware, too, a launch waits while its stream holds this many.
constexpr std::size_t most_in_stream = 1024;
/// Copies of pageable memory that may be held at once. Chosen: memory that a program can spare.
constexpr std::size_t most_held_bytes = std::size_t{64} << 20;
/// Time without a call from the host. Chosen: longer than the programs of a course compute before
/// they wait.
constexpr auto long_silence = std::chrono::seconds(1);

}  // namespace

std::uint64_t PutOff::draw(std::uint64_t below) {
    random_ += 0x9E3779B97F4A7C15;  // splitmix64, as the emulator's schedules
    std::uint64_t z = random_;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
    return (z ^ (z >> 31)) % below;
}

bool PutOff::defers(Runtime& r) {
    if (stream_of_.empty()) {
        protocol::Reply reply;
        if (!r.ask(protocol::RunnerRequest::stream_seed, {}, {}, std::span<std::byte>{}, &reply))
            return false;
        if (seed_ != reply.value) random_ = seed_ = reply.value;
        when_ = seed_ == 0 ? When::late : seed_ % 2 == 1 ? When::at_once : When::drawn;
    }
    return when_ != When::at_once;
}

Ticket PutOff::add(Runtime& r, cudaStream_t stream, bool waits_for_default, Action action,
                   std::size_t held_bytes, std::vector<Ticket> after) {
    if (!does_at_exit_) {
        does_at_exit_ = true;
        // The program may end without waiting: hardware then does some of its work, but not all.
        std::atexit([] {
            Runtime& runtime = Runtime::get();
            if (!runtime.mutex.try_lock()) return;
            finish_device(runtime);
            runtime.mutex.unlock();
        });
    }
    const Ticket ticket = ++last_ticket_;
    Queue& queue = queues_[stream];
    queue.waits_for_default = waits_for_default;
    Action at_its_call = [site = CallSite::current(), action = std::move(action)](Runtime& then) {
        const CallSite of_call(site);
        return action(then);
    };
    queue.works.push_back({ticket, std::move(after), std::move(at_its_call), held_bytes});
    stream_of_[ticket] = stream;
    held_bytes_ += held_bytes;
    if (!r.host_ranges.empty() || !r.registered.empty()) start_helper(r);
    if (queue.works.size() > most_in_stream) do_first(r, stream);
    if (held_bytes_ > most_held_bytes) finish(r, ticket);
    return ticket;
}

Ticket PutOff::last_of(cudaStream_t stream) const {
    const auto it = queues_.find(stream);
    return it == queues_.end() ? 0 : it->second.works.back().ticket;
}

/// Does the first work of a stream, after the work that it waits for. All of that has smaller
/// tickets, so the recursion ends.
void PutOff::do_first(Runtime& r, cudaStream_t stream) {
    Queue& queue = queues_[stream];
    const Work work = std::move(queue.works.front());
    queue.works.pop_front();
    if (queue.works.empty()) queues_.erase(stream);
    for (const Ticket t : work.after) finish(r, t);
    stream_of_.erase(work.ticket);
    held_bytes_ -= work.held_bytes;
    Outcome o = r.failed_already() ? Outcome{} : work.action(r);
    if (!o) r.report_later(std::move(o));
    if (r.failed_already()) drop_all();
}

/// A context that has failed does nothing more.
void PutOff::drop_all() {
    queues_.clear();
    stream_of_.clear();
    held_bytes_ = 0;
}

void PutOff::finish(Runtime& r, Ticket ticket) {
    for (;;) {
        const auto it = stream_of_.find(ticket);
        if (it == stream_of_.end()) return;
        const auto queue = queues_.find(it->second);
        if (queue == queues_.end() || queue->second.works.front().ticket > ticket) return;
        do_first(r, it->second);
    }
}

void PutOff::finish_all(Runtime& r, bool only_those_before_default) {
    for (;;) {
        std::vector<cudaStream_t> left;
        cudaStream_t last = nullptr;
        Ticket last_first = 0;  // the ticket of the first work of `last`
        for (const auto& [stream, queue] : queues_) {
            if (only_those_before_default && !queue.waits_for_default) continue;
            left.push_back(stream);
            if (queue.works.front().ticket < last_first) continue;
            last = stream;
            last_first = queue.works.front().ticket;
        }
        if (left.empty()) return;
        if (when_ == When::drawn)
            do_first(r, left[draw(left.size())]);
        else
            finish(r, last);
    }
}

void PutOff::maybe_do_some(Runtime& r) {
    while (when_ == When::drawn && !queues_.empty() && draw(2) == 0) {
        auto stream = queues_.begin();
        std::advance(stream, draw(queues_.size()));
        do_first(r, stream->first);
    }
}

/// Starts a thread that does put-off work when the host makes no calls: it may be polling memory
/// that it shares with kernels.
void PutOff::start_helper(Runtime& runtime) {
    if (has_helper_) return;
    has_helper_ = true;
    try {
        std::thread([this, &runtime] {
            std::uint64_t calls = 0;
            for (;;) {
                std::this_thread::sleep_for(long_silence);
                const std::lock_guard lock(runtime.mutex);
                if (calls == runtime.calls && !queues_.empty()) finish_all(runtime, false);
                calls = runtime.calls;
            }
        }).detach();
    } catch (const std::system_error&) {
        // No thread can be started: the host may wait for ever, as for a kernel that never ends.
    }
}

}  // namespace cugrade::cudart

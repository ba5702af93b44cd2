#include "gpu/gpu_seat.hpp"

#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <map>
#include <mutex>
#include <thread>
#include <utility>

#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include "core/clock.hpp"
#include "gpu/gpu_turn.hpp"

namespace cugrade {
namespace {

constexpr auto seat_poll_interval = std::chrono::milliseconds(1);
constexpr char mark_taken = '!';
constexpr char mark_left = '.';

std::string seat_file(const std::string& id) { return fmt::format("/tmp/cugrade-gpu-{}.seat", id); }

/// The waiting threads of this process, in order of arrival, and what earlier ones learned about
/// the GPUs.
class Queue {
public:
    class Place {
    public:
        explicit Place(Queue& queue) : queue_(queue) {
            std::unique_lock lock(queue_.mutex_);
            const std::size_t mine = queue_.last_++;
            queue_.moved_.wait(lock, [&] { return queue_.first_ == mine; });
        }
        ~Place() {
            const std::lock_guard lock(queue_.mutex_);
            ++queue_.first_;
            queue_.moved_.notify_all();
        }
        Place(const Place&) = delete;

    private:
        Queue& queue_;
    };

    void leave_alone(const std::string& id, const Error& why) {
        const std::lock_guard lock(mutex_);
        left_alone_.emplace(id, why);
    }
    std::map<std::string, Error> left_alone() {
        const std::lock_guard lock(mutex_);
        return left_alone_;
    }

private:
    std::mutex mutex_;
    std::condition_variable moved_;
    std::size_t first_ = 0, last_ = 0;
    std::map<std::string, Error> left_alone_;  ///< by id
};

Queue& queue() {
    static Queue of_this_process;
    return of_this_process;
}

/// Open files, closed with this unless they are taken out.
struct Files {
    std::vector<int> files;
    ~Files() {
        for (const int file : files)
            if (file >= 0) ::close(file);
    }
};

bool is_marked(int file) {
    char mark = mark_left;
    return ::pread(file, &mark, 1, 0) == 1 && mark == mark_taken;
}

}  // namespace

Result<GpuSeat> GpuSeat::wait(const std::vector<std::string>& ids, double patience_s,
                              const Probe& probe) {
    const Queue::Place place(queue());
    const auto failed = [](const std::string& id) {
        return Error{.message = fmt::format("cannot wait for a free GPU: {}", std::strerror(errno)),
                     .file = seat_file(id),
                     .remedy = "delete the file, or make it readable and writable for all"};
    };
    Files open;
    for (const std::string& id : ids) {
        open.files.push_back(open_gpu_lock(seat_file(id)));
        if (open.files.back() < 0) return failed(id);
    }
    const auto end = Clock::now() + std::chrono::duration<double>(patience_s);
    for (;;) {
        const auto left_alone = queue().left_alone();
        bool any = false;
        for (std::size_t i = 0; i < ids.size(); ++i) {
            int& file = open.files[i];
            if (left_alone.contains(ids[i])) continue;
            any = true;
            if (::flock(file, LOCK_EX | LOCK_NB) != 0) {
                if (errno != EWOULDBLOCK && errno != EINTR) return failed(ids[i]);
                continue;
            }
            if (is_marked(file)) {
                if (const Status answers = probe(i); !answers) {
                    queue().leave_alone(ids[i], answers.error());
                    ::flock(file, LOCK_UN);
                    continue;
                }
            }
            if (::pwrite(file, &mark_taken, 1, 0) != 1) return failed(ids[i]);
            return GpuSeat(i, std::exchange(file, -1));
        }
        if (!any)
            return ids.empty() ? Error{.message = "no GPU to wait for"}
                               : left_alone.find(ids.front())->second;
        if (Clock::now() > end)
            return Error{.message = fmt::format("no GPU became free within {:.0f} s", patience_s),
                         .file = seat_file(ids.front()),
                         .remedy = "`fuser` on this file tells which process has the GPU"};
        std::this_thread::sleep_for(seat_poll_interval);
    }
}

GpuSeat::GpuSeat(GpuSeat&& other) noexcept
    : index_(other.index_), file_(std::exchange(other.file_, -1)), in_doubt_(other.in_doubt_) {}

GpuSeat::~GpuSeat() {
    if (file_ < 0) return;
    if (!in_doubt_) {
        // If it cannot be written, the next one probes: no harm.
        const ssize_t ignored = ::pwrite(file_, &mark_left, 1, 0);
        static_cast<void>(ignored);
    }
    ::close(file_);
}

std::vector<std::string> GpuSeat::left_alone() {
    std::vector<std::string> out;
    for (const auto& [id, why] : queue().left_alone()) out.push_back(why.message);
    return out;
}

}  // namespace cugrade

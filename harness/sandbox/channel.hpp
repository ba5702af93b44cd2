// A supervisor and the socket to it, and a command that runs below one. For sandbox.cpp, which has the
// theory.
#pragma once

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/clock.hpp"
#include "core/error.hpp"
#include "process/copy.hpp"
#include "process/process.hpp"
#include "protocol/descriptors.hpp"
#include "sandbox/job.hpp"
#include "sandbox/sandbox.hpp"
#include "sandbox/wire.hpp"

namespace cugrade::sandbox {

/// How long after the command's wall limit a supervisor may take to kill a tree and say so.
inline constexpr std::chrono::seconds grace{120};

inline Error harness_error(const std::string& what, int number) {
    return {.kind = ErrorKind::harness, .message = what + ": " + std::strerror(number)};
}

/// Supervisors that have lost their socket while no command ran, and are about to end. It takes the
/// kernel some 10 ms to clear away an enclosure, in which nothing but our own process 1 is left:
/// nobody waits for that but this process at its end.
class Ending {
public:
    static Ending& of_this_process() {
        static Ending ending;
        return ending;
    }
    ~Ending() {
        for (process::Child& supervisor : supervisors_) (void)supervisor.wait_for(grace);
    }
    void add(process::Child supervisor) {
        const std::lock_guard lock(mutex_);
        std::erase_if(supervisors_, [](process::Child& one) {
            return one.wait_for(std::chrono::milliseconds(0)).has_value();
        });
        supervisors_.push_back(std::move(supervisor));
    }

private:
    std::mutex mutex_;
    std::list<process::Child> supervisors_;
};

/// A supervisor and the socket to it.
class Channel {
public:
    /// Starts the supervisor in a session of its own (a terminal's Ctrl-C is for the grader). It
    /// inherits only the socket and stderr from the grader.
    static Result<std::shared_ptr<Channel>> open(const std::filesystem::path& supervisor) {
        int ends[2];
        if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
            return harness_error("cannot start the supervisor", errno);
        process::Descriptor ours(ends[0]), theirs(ends[1]);
        process::Failure why;
        auto child = process::start({.path = supervisor.string(),
                                     .arguments = {"cugrade-supervisor"},
                                     .environment = {},
                                     .descriptors = {{theirs.get(), wire::socket_fd}},
                                     .group = process::Group::session},
                                    why);
        if (child) return std::make_shared<Channel>(*std::move(child), std::move(ours));
        Error failed{.message = "cannot start the supervisor: " + why.text(),
                     .file = supervisor.string()};
        if (why.number == ENOENT)
            failed.remedy = "build or install cugrade again: its files are not complete";
        return failed;
    }
    Channel(process::Child supervisor, process::Descriptor socket)
        : supervisor_(std::move(supervisor)),
          socket_(std::move(socket)),
          root_(supervisor_->pid()) {}
    /// To a copy of the supervisor at the end of `maker`, which it makes as soon as it can. Every
    /// copy ends with the first.
    static Result<std::shared_ptr<Channel>> open_by(std::shared_ptr<Channel> maker) {
        int ends[2];
        if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
            return harness_error("cannot start the supervisor", errno);
        process::Descriptor ours(ends[0]), theirs(ends[1]);
        Job job;
        job.request.kind = wire::Kind::make;
        job.strings.assign(2, '\0');
        if (auto sent = maker->send(job, {theirs.get()}); !sent) return sent.error();
        return std::make_shared<Channel>(std::move(maker), std::move(ours));
    }
    Channel(std::shared_ptr<Channel> maker, process::Descriptor socket)
        : maker_(std::move(maker)), socket_(std::move(socket)) {}
    /// A supervisor without a socket ends itself and what is below it.
    ~Channel() {
        socket_.close();
        if (supervisor_ && state == State::idle)
            Ending::of_this_process().add(*std::move(supervisor_));
        else if (supervisor_)
            (void)supervisor_->wait_for(grace);
        else if (state != State::idle)
            wait_for_copy(grace);
    }
    Channel(const Channel&) = delete;

    Status send(Job& job, const std::vector<int>& fds) {
        job.request.fd_count = static_cast<std::uint32_t>(fds.size());
        job.request.string_bytes = job.strings.size();
        job.request.filter_count = static_cast<std::uint32_t>(job.filter.size());
        int error = send_all(socket_.get(), &job.request, sizeof job.request, fds);
        if (error == 0) error = send_all(socket_.get(), job.strings.data(), job.strings.size());
        if (error == 0)
            error = send_all(socket_.get(), job.filter.data(),
                             job.filter.size() * sizeof job.filter[0]);
        if (error != 0) return harness_error("cannot speak with the supervisor", error);
        return Done{};
    }

    /// False at end-of-file, on an error and after the deadline. Adds descriptors that come along.
    bool receive(void* to, std::size_t bytes, std::optional<Clock::time_point> deadline,
                 std::vector<process::Descriptor>& fds) {
        auto* out = static_cast<char*>(to);
        while (bytes > 0) {
            int wait_ms = -1;
            if (deadline) {
                const auto left =
                    std::chrono::duration_cast<std::chrono::milliseconds>(*deadline - Clock::now());
                if (left.count() <= 0) return false;
                wait_ms = static_cast<int>(std::min<std::int64_t>(left.count() + 1, 1 << 30));
            }
            pollfd p{socket_.get(), POLLIN, 0};
            const int ready = ::poll(&p, 1, wait_ms);
            if (ready < 0 && errno != EINTR) return false;
            if (ready <= 0) continue;
            std::vector<int> numbers;
            const ssize_t got = protocol::receive_with(socket_.get(), out, bytes, numbers);
            for (const int fd : numbers) fds.emplace_back(fd);
            if (got < 0 && errno == EINTR) continue;
            if (got <= 0) return false;
            out += got;
            bytes -= static_cast<std::size_t>(got);
        }
        return true;
    }

    [[nodiscard]] int socket() const { return socket_.get(); }
    /// The process that commands are below.
    [[nodiscard]] pid_t root() const { return root_; }
    [[nodiscard]] bool encloses() const { return !supervisor_ || root_ != supervisor_->pid(); }
    void set_root(pid_t init) { root_ = init; }
    [[nodiscard]] bool is_of_copy() const { return maker_ != nullptr; }
    /// A pidfd of the copy.
    void set_copy(process::Descriptor reference) { copy_ = std::move(reference); }
    /// Ends the supervisor at once: it hangs, or is dead.
    void kill() {
        if (supervisor_)
            supervisor_->kill();
        else if (copy_.is_open())
            process::kill(copy_);
    }
    /// Waits for the supervisor's end, after its last answer.
    void wait() {
        if (supervisor_)
            (void)supervisor_->wait();
        else
            wait_for_copy(std::chrono::milliseconds(-1));
    }

    /// over: the supervisor takes no other command.
    enum class State { idle, busy, over };
    std::atomic<State> state = State::idle;

private:
    /// Negative: without end.
    void wait_for_copy(std::chrono::milliseconds most) const {
        pollfd p{copy_.get(), POLLIN, 0};
        if (copy_.is_open())
            while (::poll(&p, 1, static_cast<int>(most.count())) < 0 && errno == EINTR) continue;
    }

    std::optional<process::Child> supervisor_;
    std::shared_ptr<Channel> maker_;  ///< if this is to a copy, which has no Child here
    process::Descriptor copy_;
    process::Descriptor socket_;
    pid_t root_ = 0;
};

/// A Request's strings. Errors: they are too long.
[[nodiscard]] Result<Job> job_of(const std::vector<std::string>& argv, const std::string& program,
                                 const std::string& directory,
                                 const std::map<std::string, std::string>& environment);

/// Starts a command on an idle channel.
[[nodiscard]] Result<std::unique_ptr<Process>> start_on(std::shared_ptr<Channel>, const Command&,
                                                        const Limits&);

}  // namespace cugrade::sandbox

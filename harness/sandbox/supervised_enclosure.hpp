// An enclosure as its supervisor has it: the init, the socket to it, the private folder.
#pragma once

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <ctime>
#include <string>
#include <utility>
#include <vector>

#include "process/copy.hpp"
#include "process/process.hpp"
#include "sandbox/job.hpp"
#include "sandbox/process_tree.hpp"
#include "sandbox/wire.hpp"

namespace cugrade::sandbox {

inline double now() {
    timespec t{};
    clock_gettime(CLOCK_MONOTONIC, &t);
    return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

/// An init that starts commands in its namespaces, or, of a submission's first supervisor, the maker of
/// further enclosures: below a bubblewrap that was started here, or made by a maker.
class SupervisedEnclosure {
public:
    SupervisedEnclosure() = default;
    /// One that a maker was asked for. `socket`: to its init, and to the maker until there is one.
    explicit SupervisedEnclosure(process::Descriptor socket)
        : socket_(std::move(socket)), is_made_by_maker_(true) {}

    /// Makes it. Returns why it cannot be; empty if it stands.
    std::string make(const Job& job) { return is_made_by_maker_ ? take(job) : start_bubblewrap(job); }

    /// Asks a maker for an enclosure. `theirs`: its end of a socket. False: the maker is gone.
    bool ask_maker(int theirs) {
        Job job;
        job.request.kind = wire::Kind::make;
        complete(job);
        return send(socket_.get(), job, theirs) == 0;
    }

    [[nodiscard]] bool is_made_by_maker() const { return is_made_by_maker_; }
    [[nodiscard]] bool stands() const { return init_ > 0; }
    [[nodiscard]] pid_t init() const { return init_; }
    [[nodiscard]] int socket() const { return socket_.get(); }
    /// The private folder, if there is one.
    [[nodiscard]] const std::vector<process::Descriptor>& folder() const { return folder_; }
    /// How many files and folders are in it.
    [[nodiscard]] std::uint64_t files() const {
        struct statfs of {};
        if (folder_.empty() || fstatfs(folder_.front().get(), &of) != 0) return 0;
        return of.f_files - of.f_ffree;
    }

    bool start(const Job& job, int output) {
        return send(socket_.get(), job, output, STDOUT_FILENO) == 0;
    }
    bool receive(wire::Report& report) {
        std::vector<process::Descriptor> none;
        return receive(report, none);
    }
    /// Returns 0 or errno.
    int put(const Job& job) {
        wire::Report report;
        if (const int error = send(socket_.get(), job); error != 0) return error;
        return receive(report) && report.kind == wire::Report::Kind::put ? report.status : EPIPE;
    }
    /// Removes what is left of a command. False if that cannot be done in time.
    bool clear() {
        Job job;
        job.request.kind = wire::Kind::clear;
        complete(job);
        if (send(socket_.get(), job) != 0) return false;
        const double deadline = now() + clear_s;
        wire::Report cleared;
        do {
            pollfd p{socket_.get(), POLLIN, 0};
            const double left = deadline - now();
            if (left <= 0 || poll(&p, 1, static_cast<int>(1e3 * left) + 1) <= 0 ||
                !receive(cleared))
                return false;
        } while (cleared.kind != wire::Report::Kind::cleared);
        return true;
    }

    /// Of one that a maker has made: kills its init, and with that all that is in it. False: not all
    /// ends within this time.
    [[nodiscard]] bool end(double most_s) const {
        if (!reference_.is_open()) return true;
        process::kill(reference_);
        const double deadline = now() + most_s;
        pollfd p{reference_.get(), POLLIN, 0};
        for (double left = most_s; left > 0; left = deadline - now())
            if (poll(&p, 1, static_cast<int>(1e3 * left) + 1) > 0) return true;
        return false;
    }

private:
    static constexpr double clear_s = 5;

    std::string start_bubblewrap(const Job& job) {
        int ends[2], output[2];
        if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0 ||
            pipe2(output, O_CLOEXEC) != 0)
            return std::strerror(errno);
        socket_ = process::Descriptor(ends[0]);
        process::Descriptor theirs(ends[1]), said(output[0]), saying(output[1]);
        process::Program program = job.program();
        program.descriptors.emplace_back(theirs.get(), wire::socket_fd);
        program.output = program.errors = saying.get();
        program.group = process::Group::session;
        program.ends_with_thread = true;
        if (job.request.user != wire::no_user) program.user = job.request.user;
        process::Failure why;
        auto child = process::start(program, why);
        if (!child) return program.path + ": " + why.text();
        const pid_t bubblewrap = child->release();  // all children are reaped alike
        theirs.close();
        saying.close();
        Job setup;
        setup.request = job.request;
        setup.request.fd_count = 0;
        setup.request.argument_count = setup.request.variable_count = 0;
        complete(setup);
        setup.filter = job.filter;
        wire::Report ready;
        if (send(socket_.get(), setup) != 0 || !receive(ready, folder_)) {
            const std::string text = read_all(said.get());
            return text.empty() ? "bubblewrap ended without a word" : text;
        }
        find_init(bubblewrap);
        return init_ > 0 ? "" : "its first process cannot be seen in /proc";
    }

    /// Lets the copy that the maker has made of itself make its root.
    std::string take(const Job& job) {
        wire::Report report;
        std::vector<process::Descriptor> init;
        if (!receive(report, init)) return "the process that makes enclosures is gone";
        if (report.kind != wire::Report::Kind::ready || init.size() != 1) return why_not(report);
        reference_ = std::move(init.front());
        init_ = process::number_of(reference_);
        if (init_ <= 0) return "its first process cannot be seen in /proc";
        if (send(socket_.get(), job) != 0 || !receive(report, folder_))
            return "its first process has ended";
        return report.kind == wire::Report::Kind::ready ? "" : why_not(report);
    }

    static std::string why_not(wire::Report& report) {
        report.step[sizeof report.step - 1] = '\0';
        return std::string("cannot ") + report.step + ": " + std::strerror(report.status);
    }

    /// The child of bubblewrap, which waits for it.
    void find_init(pid_t bubblewrap) {
        std::vector<pid_t> children;
        list_children(bubblewrap, children);
        if (children.empty()) list_children_by_parent(bubblewrap, children);
        if (children.size() == 1) init_ = children.front();
    }

    /// A Request has at least two strings.
    static void complete(Job& job) {
        job.strings.assign(2, '\0');
        job.request.string_bytes = job.strings.size();
    }

    bool receive(wire::Report& report, std::vector<process::Descriptor>& fds) {
        return receive_all(socket_.get(), &report, sizeof report, fds);
    }

    static std::string read_all(int fd) {
        std::string out;
        char buffer[512];
        for (ssize_t got = 0; (got = read(fd, buffer, sizeof buffer)) > 0 && out.size() < 4096;)
            out.append(buffer, static_cast<std::size_t>(got));
        while (!out.empty() && out.back() == '\n') out.pop_back();
        return out;
    }

    process::Descriptor socket_;
    bool is_made_by_maker_ = false;
    std::vector<process::Descriptor> folder_;
    pid_t init_ = -1;
    process::Descriptor reference_;  ///< a pidfd of the init, if a maker has made it
};

}  // namespace cugrade::sandbox

// The emulator process: a poll loop over the grader's connection and one runner's.
//
// Requests are answered one at a time on this thread; a launch runs to its end before anything else
// is served. A second thread does not wait for that: it ends the process when the grader is gone,
// or the wall time or the memory limit is reached. (The parent-death signal is not used: it follows
// the thread that started us, and the grader's threads come and go.)
#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <memory>
#include <new>
#include <thread>

#include "core/heap.hpp"
#include "emulator/server/device.hpp"

namespace {

using namespace cugrade::emulator;

std::uint64_t resident_bytes() {
    // "size resident ..." in pages
    std::FILE* f = std::fopen("/proc/self/statm", "r");
    unsigned long size = 0, resident = 0;
    if (f == nullptr) return 0;
    const int n = std::fscanf(f, "%lu %lu", &size, &resident);
    std::fclose(f);
    return n == 2 ? resident * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE)) : 0;
}

void end_if_beyond(std::uint64_t memory_limit) {
    if (memory_limit > 0 && resident_bytes() > memory_limit) _exit(protocol::exit_memory_limit);
}

void watch(int grader, std::uint64_t memory_limit, double wall_s) {
    using Clock = std::chrono::steady_clock;
    const auto end = Clock::now() + std::chrono::duration<double>(wall_s);
    for (;;) {
        int wait = memory_limit > 0 ? 50 : -1;
        if (wall_s > 0) {
            const double left = std::chrono::duration<double>(end - Clock::now()).count();
            if (left <= 0) _exit(protocol::exit_wall_limit);
            if (wait < 0 || left * 1000 < wait)
                wait = left > 1e6 ? 1000000000 : static_cast<int>(left * 1000) + 1;
        }
        pollfd p{grader, POLLRDHUP, 0};
        if (poll(&p, 1, wait) > 0) {
            if ((p.revents & (POLLHUP | POLLRDHUP | POLLERR)) != 0) _exit(0);
        }
        end_if_beyond(memory_limit);
    }
}

class Server {
public:
    explicit Server(int fd) : grader_(std::make_unique<Connection>(fd, protocol::max_piece)) {}

    int run() {
        for (;;) {
            pollfd fds[2] = {waiting_for(*grader_), {-1, 0, 0}};
            if (runner_ && serves_runner_) fds[1] = waiting_for(*runner_);
            if (poll(fds, 2, -1) < 0) {
                if (errno == EINTR) continue;
                return 1;
            }
            // The runner first: the grader may replace it.
            if (runner_ && fds[1].revents != 0 && !step(*runner_, false)) runner_.reset();
            if (fds[0].revents != 0 && !step(*grader_, true)) return 0;
        }
    }

private:
    static pollfd waiting_for(const Connection& c) {
        return {c.fd(), static_cast<short>(c.sending() ? POLLOUT : POLLIN), 0};
    }

    /// False when the connection is at its end.
    bool step(Connection& c, bool grader) {
        if (c.sending()) return c.send();
        switch (c.receive()) {
            case Connection::Progress::incomplete: return true;
            case Connection::Progress::closed: return false;
            case Connection::Progress::request: break;
        }
        try {
            c.answer(grader ? serve_grader(c) : serve_runner(c));
        } catch (const std::bad_alloc&) {
            c.answer(Answer::failed(cudaErrorMemoryAllocation, "the emulator is out of memory"));
        } catch (const std::exception& e) {
            c.answer(Answer::failed(cudaErrorUnknown, e.what()));
        }
        return c.send();
    }

    Answer serve_runner(Connection& c) {
        Answer answer = device_->serve_runner(c.request(), c.payload());
        // Before the answer, so that it is the call that does not come to its end.
        if (static_cast<protocol::RunnerRequest>(c.request().kind) == protocol::RunnerRequest::launch)
            end_if_beyond(memory_limit_);
        return answer;
    }

    Answer serve_grader(Connection& c) {
        const auto kind = static_cast<protocol::GraderRequest>(c.request().kind);
        if (kind == protocol::GraderRequest::configure) {
            protocol::ConfigureRecord config;
            if (c.payload().size() != sizeof config || device_)
                return Answer::failed(cudaErrorInvalidValue, "bad configuration");
            std::memcpy(&config, c.payload().data(), sizeof config);
            device_ = std::make_unique<Device>(config);
            memory_limit_ = config.process_bytes;
            std::thread(watch, c.fd(), config.process_bytes, config.wall_s).detach();
            return {};
        }
        if (!device_) return Answer::failed(cudaErrorInvalidValue, "the device is not configured");
        if (kind == protocol::GraderRequest::connect_runner) {
            const int fd = c.take_descriptor();
            if (fd < 0) return Answer::failed(cudaErrorInvalidValue, "no descriptor came along");
            runner_.reset();
            device_->forget_runner();
            runner_ = std::make_unique<Connection>(fd, protocol::max_module);
            serves_runner_ = true;
            return {};
        }
        if (kind == protocol::GraderRequest::serve_runner) {
            serves_runner_ = c.request().value != 0;
            return {};
        }
        return device_->serve_grader(c.request(), c.payload());
    }

    std::unique_ptr<Connection> grader_;
    std::unique_ptr<Connection> runner_;  ///< set only while device_ is set
    bool serves_runner_ = true;           ///< false: its requests wait in the socket
    std::unique_ptr<Device> device_;
    std::uint64_t memory_limit_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
    if (argc != 3 || std::strcmp(argv[1], "--connection") != 0) {
        std::fprintf(stderr, "This program is started by cugrade: emulator --connection FD\n");
        return 1;
    }
    prctl(PR_SET_DUMPABLE, 0);
    cugrade::keep_freed_memory();
    return Server(std::atoi(argv[2])).run();
}

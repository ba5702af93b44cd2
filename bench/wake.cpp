// How long a process that was stopped takes until it runs, as a runner does in each timed round:
// where its processor has gone to sleep meanwhile, and where that was kept awake. The spread is in
// the time of the round. It needs no GPU; on a machine that grades, it tells how much speedups
// vary.
#include "bench/wake.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <sched.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <optional>
#include <thread>
#include <vector>

#include "core/clock.hpp"
#include "sandbox/sandbox.hpp"

namespace {

using cugrade::Clock;
using cugrade::seconds_since;
using namespace std::chrono_literals;

constexpr const char* echo = "--echo";
constexpr int echo_fd = 3;
constexpr int times = 200;          ///< of each
constexpr auto asleep = 20ms;       ///< as long as the grader fills and compares data
constexpr double waiting_us = 300;  ///< that the grader's small kernels take

/// What the process answers to each message.
struct Got {
    Clock::rep when = 0;
    int processor = 0;
};
int answer() {
    char byte = 0;
    while (recv(echo_fd, &byte, 1, 0) == 1) {
        const Got got{.when = Clock::now().time_since_epoch().count(), .processor = sched_getcpu()};
        if (send(echo_fd, &got, sizeof got, 0) != sizeof got) break;
    }
    return 0;
}

/// When and where the process got a message, or nothing. `resume` is called when it has been sent.
template <class F>
std::optional<Got> asked(int control, F&& resume) {
    const char byte = 0;
    if (send(control, &byte, 1, 0) != 1) return std::nullopt;
    resume();
    const auto start = Clock::now();
    pollfd answered{.fd = control, .events = POLLIN, .revents = 0};
    while (poll(&answered, 1, 0) == 0)
        if (seconds_since(start) > 10) return std::nullopt;
    Got got;
    if (recv(control, &got, sizeof got, 0) != sizeof got) return std::nullopt;
    return got;
}

struct Wakes {
    std::vector<double> us;
    int elsewhere = 0;  ///< on another processor than it ran on before
};

/// One more, and where that was.
std::optional<Got> wake(cugrade::sandbox::Process& process, int control, bool kept_awake,
                        const Got& before, Wakes& wakes) {
    if (!process.pause()) return std::nullopt;
    std::this_thread::sleep_for(asleep);
    Clock::time_point start;
    const auto got = asked(control, [&] {
        if (kept_awake) process.keep_processor_awake();
        const auto waiting = Clock::now();
        while (1e6 * seconds_since(waiting) < waiting_us) {
        }
        start = Clock::now();
        process.resume();
    });
    if (!got) return std::nullopt;
    const auto took = Clock::duration(got->when) - start.time_since_epoch();
    wakes.us.push_back(std::chrono::duration<double, std::micro>(took).count());
    wakes.elsewhere += got->processor != before.processor;
    return got;
}

double quantile(const std::vector<double>& sorted, double share) {
    return sorted[static_cast<std::size_t>(share * static_cast<double>(sorted.size() - 1))];
}

}  // namespace

int bench_wake(int argc, char** argv, const char* supervisor) {
    if (argc == 3 && std::strcmp(argv[2], echo) == 0) return answer();
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0) return 2;
    auto process = cugrade::sandbox::start(
        supervisor,
        {.argv = {std::filesystem::read_symlink("/proc/self/exe").string(), argv[1], echo},
         .fds = {{pair[1], echo_fd}}},
        {.wall_s = 600, .cpu_s = 600});
    if (!process) {
        fmt::print(stderr, "cugrade-bench: {}\n", process.error().text());
        return 2;
    }
    close(pair[1]);
    Wakes wakes[2];
    auto got = asked(pair[0], [] {});  // it has started
    for (int i = 0; got && i < 2 * times; ++i) {
        const bool kept_awake = i % 2 == 1;
        got = wake(**process, pair[0], kept_awake, *got, wakes[kept_awake]);
    }
    if (!got) {
        fmt::print(stderr, "cugrade-bench: the process does not answer\n");
        return 2;
    }
    fmt::print("microseconds until a stopped process runs, {} times each\n", times);
    fmt::print("{:16}{:>8}{:>8}{:>8}{:>8}{:>8}  on another\n", "its processor", "10 %", "50 %",
               "90 %", "99 %", "most");
    double spread[2];
    for (const bool kept_awake : {false, true}) {
        auto& [us, elsewhere] = wakes[kept_awake];
        std::ranges::sort(us);
        fmt::print("{:16}", kept_awake ? "is kept awake" : "may sleep");
        for (const double share : {0.1, 0.5, 0.9, 0.99, 1.0})
            fmt::print("{:8.0f}", quantile(us, share));
        fmt::print("{:12}\n", elsewhere);
        spread[kept_awake] = quantile(us, 0.9) - quantile(us, 0.1);
    }
    fmt::print("from 10 to 90 %, kept awake over not: {:.2f}\n", spread[true] / spread[false]);
    return 0;
}

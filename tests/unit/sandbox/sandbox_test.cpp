// The sandbox against programs that try to outlive, outgrow or flood it. Survivors are looked for
// by a token in their environment, machine-wide, so a process that escaped the tree would be found.
#include "sandbox/sandbox.hpp"

#include <fcntl.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <ctime>
#include <fstream>
#include <iterator>
#include <thread>

#include "catch.hpp"
#include "sandbox/awake_processor.hpp"

using namespace cugrade;
using namespace cugrade::sandbox;
namespace fs = std::filesystem;

namespace {

const fs::path supervisor = fs::path(CUGRADE_BUILD_DIR) / "libexec/cugrade/supervisor";

/// This program, to run one of the victims below.
const std::string self = fs::read_symlink("/proc/self/exe").string();

std::string new_token() {
    static std::atomic<int> next{0};
    return "cugrade_test_" + std::to_string(getpid()) + "_" + std::to_string(next++);
}

std::vector<int> processes_with(const std::string& token) {
    std::vector<int> out;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator("/proc", error)) {
        const int pid = std::atoi(entry.path().filename().c_str());
        if (pid <= 0) continue;
        std::ifstream in(entry.path() / "environ", std::ios::binary);
        const std::string text{std::istreambuf_iterator<char>(in), {}};
        if (text.find(token) != std::string::npos) out.push_back(pid);
    }
    return out;
}

Command shell(const std::string& script, const std::string& token = "none") {
    return {.argv = {"/bin/bash", "-c", script},
            .environment = {{"PATH", "/usr/local/bin:/usr/bin:/bin"}, {"TOKEN", token}}};
}

Outcome run_ok(const Command& command, const Limits& limits = {}) {
    auto outcome = run(supervisor, command, limits);
    REQUIRE(outcome.ok());
    return *outcome;
}

double seconds_since(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Where the tests' own process is not told when the last one is gone.
bool gone_within(const std::string& token, double seconds) {
    const auto start_time = std::chrono::steady_clock::now();
    while (!processes_with(token).empty()) {
        if (seconds_since(start_time) > seconds) return false;
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return true;
}

}  // namespace

// What the tests run below the sandbox: hidden test cases of this program.
TEST_CASE("120 MiB", "[.][victim-memory]") {
    std::vector<char> memory(120 << 20, 1);
    std::this_thread::sleep_for(
        std::chrono::milliseconds(std::getenv("TOKEN") != nullptr ? 5000 : 0));
    CHECK(memory.back() == 1);
}

TEST_CASE("60 threads", "[.][victim-threads]") {
    std::vector<std::thread> threads;
    for (int i = 0; i < 60; ++i)
        threads.emplace_back([] { std::this_thread::sleep_for(std::chrono::seconds(9)); });
    for (auto& thread : threads) thread.join();
}

/// Where a victim says that it is ready.
constexpr int ready_fd = 5;

/// When it has been stopped for 50 ms, a signal wakes this process. (Not before: a stop throws away
/// a pending SIGCONT, and the timer that sent it would not go on.)
[[noreturn]] void wake_by_timer() {
    sigevent event{};
    event.sigev_notify = SIGEV_SIGNAL;
    event.sigev_signo = SIGCONT;
    timer_t timer{};
    if (timer_create(CLOCK_MONOTONIC, &event, &timer) != 0) _exit(1);
    const itimerspec later{.it_interval = {}, .it_value = {0, 50'000'000}};
    for (bool ready = false;;) {
        timer_settime(timer, 0, &later, nullptr);
        if (!ready && write(ready_fd, "r", 1) != 1) _exit(1);
        ready = true;
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
}

/// Wakes itself when it has been stopped, and then runs.
TEST_CASE("wakes itself", "[.][victim-timer]") {
    std::signal(SIGCONT, [](int) {});  // where it is ignored, not every kernel wakes the process
    wake_by_timer();
}

/// Another process of the tree, which nobody waits for, does, and leaves a child and dies.
TEST_CASE("wakes and ends", "[.][victim-heir]") {
    if (fork() == 0) {
        if (fork() > 0) _exit(0);
        std::signal(SIGCONT, [](int) {
            if (fork() > 0) _exit(0);
            for (;;) pause();
        });
        wake_by_timer();
    }
    for (;;) std::this_thread::sleep_for(std::chrono::seconds(1));
}

/// Waits, as after vfork, for a child to have a program of its own, which it never has.
TEST_CASE("waits for a child", "[.][victim-vfork]") {
    static char stack[65536];
    const auto child = [](void*) -> int {
        for (;;) sleep(1);
    };
    clone(child, stack + sizeof stack, CLONE_VFORK | SIGCHLD, nullptr);
}

TEST_CASE("a command's exit code, output, directory and environment are its own") {
    Command command = shell("echo out; echo err >&2; pwd; env | sort; exit 7");
    command.directory = "/usr";
    command.environment = {{"PATH", "/usr/bin:/bin"}, {"A", "b=c d"}};
    const Outcome outcome = run_ok(command);
    CHECK(outcome.end == End::exited);
    CHECK(outcome.exit_code == 7);
    CHECK(outcome.output.starts_with("out\nerr\n/usr\nA=b=c d\nPATH=/usr/bin:/bin\n"));
    CHECK(outcome.output.find("HOME=") == std::string::npos);
    CHECK(outcome.wall_s > 0);
    CHECK(outcome.peak_memory_bytes > 100'000);
}

TEST_CASE("a command without a slash is looked up in its own PATH") {
    CHECK(
        run_ok({.argv = {"true"}, .environment = {{"PATH", "/nowhere:/usr/bin:/bin"}}}).exit_code ==
        0);
    CHECK(run_ok({.argv = {"true"}, .environment = {{"PATH", "/nowhere"}}}).end ==
          End::not_started);
}

TEST_CASE("what cannot be run is not started and says why") {
    const Outcome missing = run_ok({.argv = {"/no/such/program"}});
    CHECK(missing.end == End::not_started);
    CHECK(missing.message == "cannot run /no/such/program: No such file or directory");
    Command nowhere = shell("true");
    nowhere.directory = "/no/such/folder";
    const Outcome outcome = run_ok(nowhere);
    CHECK(outcome.end == End::not_started);
    CHECK(outcome.message.find("working directory") != std::string::npos);
    CHECK(run_ok({.argv = {"/etc/passwd"}}).end == End::not_started);
    CHECK_FALSE(run("/no/such/supervisor", shell("true"), {}).ok());
    CHECK_FALSE(run(supervisor, {}, {}).ok());
}

TEST_CASE("a signal is told by its number") {
    const Outcome outcome = run_ok(shell("kill -SEGV $$"));
    CHECK(outcome.end == End::signalled);
    CHECK(outcome.signal == SIGSEGV);
}

TEST_CASE("the wall limit ends processes that detached twice and left the session") {
    const std::string token = new_token();
    const auto start_time = std::chrono::steady_clock::now();
    const Outcome outcome = run_ok(
        shell("(setsid bash -c '(setsid sleep 1000 </dev/null >/dev/null 2>&1 &) ; sleep 1000' &) ;"
              "sleep 1000",
              token),
        {.wall_s = 0.3});
    CHECK(outcome.end == End::wall_limit);
    CHECK(outcome.wall_s >= 0.3);
    CHECK(seconds_since(start_time) < 3);
    CHECK(processes_with(token).empty());
}

TEST_CASE("what a command leaves behind when it exits is ended") {
    const std::string token = new_token();
    const Outcome outcome = run_ok(shell("(setsid sleep 1000 &) ; echo done", token));
    CHECK(outcome.end == End::exited);
    CHECK(outcome.exit_code == 0);
    CHECK(outcome.output == "done\n");
    CHECK(processes_with(token).empty());
}

TEST_CASE("a fork bomb is counted and ended") {
    const std::string token = new_token();
    const Outcome outcome =
        run_ok(shell("bomb() { bomb | bomb & }; bomb; sleep 5", token), {.processes = 40});
    CHECK(outcome.end == End::process_limit);
    CHECK(processes_with(token).empty());
}

TEST_CASE("a fork bomb whose every process leaves the group is ended too") {
    const std::string token = new_token();
    const fs::path script = fs::temp_directory_path() / (token + ".sh");
    std::ofstream(script) << "setsid bash $0 & setsid bash $0 & wait\n";
    Command command = shell("", token);
    command.argv = {"/bin/bash", script.string()};
    const Outcome outcome = run_ok(command, {.processes = 40});
    fs::remove(script);
    CHECK(outcome.end == End::process_limit);
    CHECK(processes_with(token).empty());
}

TEST_CASE("threads count as processes do") {
    const Outcome outcome = run_ok({.argv = {self, "[victim-threads]"}}, {.processes = 30});
    CHECK(outcome.end == End::process_limit);
}

TEST_CASE("memory is summed over the tree") {
    const std::string hog = self + " '[victim-memory]'";
    const Limits limits{.wall_s = 20, .memory_bytes = 200 << 20};
    const Outcome both = run_ok(shell(hog + " & " + hog + " & wait"), limits);
    CHECK(both.end == End::memory_limit);
    CHECK(both.peak_memory_bytes > (200U << 20));
    // One that size alone fits.
    const Command one{.argv = {"/bin/dd", "if=/dev/zero", "of=/dev/null", "bs=120M", "count=1"}};
    CHECK(run_ok(one, limits).end == End::exited);
}

TEST_CASE("a hog that exits between two looks is judged by what it used") {
    const Outcome outcome = run_ok({.argv = {self, "[victim-memory]"}}, {.memory_bytes = 32 << 20});
    CHECK(outcome.end == End::memory_limit);
}

TEST_CASE("processor time is summed over the tree, the dead included") {
    const std::string burn = "timeout 0.3 bash -c 'while :; do :; done'";
    const auto start_time = std::chrono::steady_clock::now();
    const Outcome outcome =
        run_ok(shell("while :; do " + burn + "; done"), {.wall_s = 30, .cpu_s = 0.8});
    CHECK(outcome.end == End::cpu_limit);
    CHECK(outcome.cpu_s > 0.8);
    CHECK(seconds_since(start_time) < 20);
    const Outcome parallel =
        run_ok(shell("for i in 1 2 3 4; do (while :; do :; done) & done; wait"),
               {.wall_s = 30, .cpu_s = 0.8});
    CHECK(parallel.end == End::cpu_limit);
}

TEST_CASE("a file that grows too large ends the command") {
    const fs::path file = fs::temp_directory_path() / new_token();
    const Command command{
        .argv = {"/bin/dd", "if=/dev/zero", "of=" + file.string(), "bs=65536", "count=100"}};
    const Outcome outcome = run_ok(command, {.file_bytes = 1 << 20});
    CHECK(outcome.end == End::file_limit);
    CHECK(fs::file_size(file) == 1 << 20);
    fs::remove(file);
}

TEST_CASE("output is cut at its limit and ends the command") {
    const Outcome flood = run_ok(shell("yes"), {.output_bytes = 10'000});
    CHECK(flood.end == End::output_limit);
    CHECK(flood.output.size() == 10'000);
    // An exit right after it is no excuse; exactly the limit is allowed.
    const auto print = [](int n) { return shell("head -c " + std::to_string(n) + " /dev/zero"); };
    CHECK(run_ok(print(10'001), {.output_bytes = 10'000}).end == End::output_limit);
    CHECK(run_ok(print(10'000), {.output_bytes = 10'000}).end == End::exited);
    // More than a pipe and a socket hold comes through whole.
    CHECK(run_ok(print(5'000'000), {.output_bytes = 5'000'000}).output.size() == 5'000'000);
}

TEST_CASE("the address space of each process can be limited") {
    // Not this program: built with AddressSanitizer it needs terabytes of addresses.
    const Command command{
        .argv = {"/bin/dd", "if=/dev/zero", "of=/dev/null", "bs=120M", "count=1"}};
    CHECK(run_ok(command, {.address_space_bytes = 1 << 30}).exit_code == 0);
    const Outcome outcome = run_ok(command, {.address_space_bytes = 90 << 20});
    CHECK(outcome.exit_code == 1);
    CHECK(outcome.output.find("memory exhausted") != std::string::npos);
}

TEST_CASE("descriptors arrive under the stated numbers and no other does") {
    int pair[2];
    REQUIRE(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
    // A descriptor that the grader's process leaks, and a stated number that is a source here.
    const int leaked = fcntl(pair[0], F_DUPFD, 50);
    Command command = shell(
        "echo hello >&9; read line <&10; echo $line; "
        "for n in 3 50; do test -S /proc/$$/fd/$n && echo leaked; done");
    command.fds = {{pair[1], 9}, {pair[1], 10}};
    auto process = start(supervisor, command, {});
    REQUIRE(process.ok());
    char text[6] = {};
    REQUIRE(read(pair[0], text, 6) == 6);
    CHECK(std::string(text, 6) == "hello\n");
    REQUIRE(write(pair[0], "back\n", 5) == 5);
    const Outcome outcome = (*process)->wait();
    CHECK(outcome.output == "back\n");
    for (const int fd : {pair[0], pair[1], leaked}) close(fd);
}

TEST_CASE("kill ends the tree, and so does forgetting it") {
    const std::string token = new_token();
    const Command command = shell("(setsid sleep 1000 &) ; sleep 1000", token);
    auto process = start(supervisor, command, {.wall_s = 100});
    REQUIRE(process.ok());
    CHECK((*process)->running());
    (*process)->kill();
    CHECK((*process)->wait().end == End::killed);
    CHECK_FALSE((*process)->running());
    CHECK(processes_with(token).empty());
    {
        auto forgotten = start(supervisor, command, {.wall_s = 100});
        REQUIRE(forgotten.ok());
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    CHECK(processes_with(token).empty());
}

TEST_CASE("a tree that pauses does not run, all of it, and goes on") {
    int pair[2];
    REQUIRE(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
    // Two processes that count, one of them in a session of its own.
    Command command =
        shell("count='while :; do echo >&9; done'; setsid bash -c \"$count\" & eval \"$count\"");
    command.fds = {{pair[1], 9}};
    auto started = start(supervisor, command, {.wall_s = 100, .cpu_s = 100});
    REQUIRE(started.ok());
    Process& process = **started;
    const auto drained = [&] {
        char buffer[65536];
        std::size_t all = 0;
        for (ssize_t got = 0; (got = recv(pair[0], buffer, sizeof buffer, MSG_DONTWAIT)) > 0;)
            all += static_cast<std::size_t>(got);
        return all;
    };
    const auto wait = [](int ms) { std::this_thread::sleep_for(std::chrono::milliseconds(ms)); };
    for (int i = 0; i < 5; ++i) {
        for (int tries = 0; drained() == 0 && tries < 1000; ++tries) wait(5);
        REQUIRE(process.pause().ok());
        drained();
        wait(50);
        CHECK(drained() == 0);
        CHECK(process.paused_throughout());
        if (i == 4) process.keep_processor_awake();
        process.resume();
        wait(50);
        CHECK(drained() > 0);
    }
    REQUIRE(process.pause().ok());
    process.kill();  // ends what is stopped, too
    CHECK(process.wait().end == End::killed);
    for (const int fd : pair) close(fd);
}

TEST_CASE("a processor is kept awake by a thread that does nothing else") {
    const auto used_s = [](clockid_t clock) {
        timespec used{};
        clock_gettime(clock, &used);
        return static_cast<double>(used.tv_sec) + 1e-9 * static_cast<double>(used.tv_nsec);
    };
    const auto others_used_s = [&] {  // this process's other threads
        return used_s(CLOCK_PROCESS_CPUTIME_ID) - used_s(CLOCK_THREAD_CPUTIME_ID);
    };
    const auto is_busy = [&] {
        const double before = others_used_s();
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        return others_used_s() - before > 50e-6;
    };
    const auto becomes = [&](bool busy) {  // whatever else runs there goes first
        for (int tries = 0; tries < 1000; ++tries)
            if (is_busy() == busy) return true;
        return false;
    };
    const auto move_to = [](int processor) {
        cpu_set_t only;
        CPU_ZERO(&only);
        CPU_SET(static_cast<std::size_t>(processor), &only);
        REQUIRE(sched_setaffinity(0, sizeof only, &only) == 0);
    };
    cpu_set_t allowed;
    REQUIRE(sched_getaffinity(0, sizeof allowed, &allowed) == 0);
    std::vector<int> processors;
    for (int processor = 0; processor < CPU_SETSIZE && processors.size() < 4; ++processor)
        if (CPU_ISSET(static_cast<std::size_t>(processor), &allowed))
            processors.push_back(processor);
    AwakeProcessor awake;
    for (std::size_t i = 1; i < processors.size(); ++i) {
        move_to(processors[i - 1]);
        awake.keep(processors[i]);
        CHECK(becomes(true));
        awake.release();
        CHECK(becomes(false));
    }
    awake.keep(processors[0]);
    move_to(processors[0]);
    awake.keep(processors[0]);  // the caller's own is not taken from it
    CHECK(becomes(false));
    awake.keep(CPU_SETSIZE);  // there is none
    CHECK(becomes(false));
    REQUIRE(sched_setaffinity(0, sizeof allowed, &allowed) == 0);
}

TEST_CASE("a process that wakes itself does not go unnoticed") {
    for (const char* victim : {"[victim-timer]", "[victim-heir]"}) {
        INFO(victim);
        int ready[2];
        REQUIRE(pipe2(ready, O_CLOEXEC) == 0);
        auto process = start(supervisor, {.argv = {self, victim}, .fds = {{ready[1], ready_fd}}},
                             {.wall_s = 100});
        close(ready[1]);
        REQUIRE(process.ok());
        char said = 0;
        REQUIRE(read(ready[0], &said, 1) == 1);  // it sets the timer again and again from here on
        close(ready[0]);
        REQUIRE((*process)->pause().ok());
        std::this_thread::sleep_for(std::chrono::milliseconds(300));
        CHECK_FALSE((*process)->paused_throughout());
    }
}

TEST_CASE("a process that waits for a child of its own is paused with it") {
    auto process = start(supervisor, {.argv = {self, "[victim-vfork]"}}, {.wall_s = 100});
    REQUIRE(process.ok());
    for (int i = 0; i < 3; ++i) {
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
        const auto start_time = std::chrono::steady_clock::now();
        REQUIRE((*process)->pause().ok());
        CHECK(seconds_since(start_time) < 2);
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
        CHECK((*process)->paused_throughout());
        (*process)->resume();
    }
}

TEST_CASE("the tree ends with the grader, whatever ends the grader") {
    for (const int signal : {SIGKILL, SIGTERM}) {
        const std::string token = new_token();
        const pid_t grader = fork();
        if (grader == 0) {
            std::signal(SIGTERM, SIG_DFL);  // Catch2 reports it otherwise
            auto process = start(supervisor, shell("(setsid sleep 1000 &) ; sleep 1000", token),
                                 {.wall_s = 100});
            if (process) (void)(*process)->wait();
            _exit(0);
        }
        while (processes_with(token).size() < 2)
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
        kill(grader, signal);
        waitpid(grader, nullptr, 0);
        CHECK(gone_within(token, 5));
    }
}

TEST_CASE("a supervisor that is told to end takes the tree along") {
    for (const int signal : {SIGTERM, SIGHUP}) {
        const std::string token = new_token();
        // The command's parent is the supervisor.
        auto process = start(supervisor,
                             shell("kill -" + std::to_string(signal) + " $PPID; sleep 1000", token),
                             {.wall_s = 100});
        REQUIRE(process.ok());
        CHECK((*process)->wait().end == End::killed);
        CHECK(processes_with(token).empty());
    }
}

TEST_CASE("a command that kills its supervisor is reported, and dies with it") {
    const std::string token = new_token();
    const Outcome outcome = run_ok(shell("kill -KILL $PPID; sleep 1000", token), {.wall_s = 100});
    CHECK(outcome.end == End::not_started);
    CHECK(outcome.message.find("supervisor") != std::string::npos);
    CHECK(gone_within(token, 5));
}

TEST_CASE("many threads run commands at once", "[threads][slow]") {
    std::atomic<int> right{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < 16; ++t)
        threads.emplace_back([&right, t] {
            for (int i = 0; i < 3; ++i) {
                const int code = (7 * t + i) % 100;
                const auto outcome = run(
                    supervisor,
                    shell("echo " + std::to_string(code) + "; exit " + std::to_string(code)), {});
                if (outcome && outcome->end == End::exited && outcome->exit_code == code &&
                    outcome->output == std::to_string(code) + "\n")
                    ++right;
            }
        });
    for (auto& thread : threads) thread.join();
    CHECK(right == 48);
}

TEST_CASE("a process that is out of descriptors gets an error, not a hang") {
    rlimit old{};
    getrlimit(RLIMIT_NOFILE, &old);
    const int next = dup(0);
    close(next);
    const rlimit tight{static_cast<rlim_t>(next) + 1, old.rlim_max};
    setrlimit(RLIMIT_NOFILE, &tight);
    const auto outcome = run(supervisor, shell("true"), {});
    setrlimit(RLIMIT_NOFILE, &old);
    REQUIRE_FALSE(outcome.ok());
    CHECK(outcome.error().kind == ErrorKind::harness);
}

TEST_CASE("a trivial command costs little more than itself") {
    const Command command{.argv = {"/bin/true"}};
    std::vector<double> times;
    for (int i = 0; i < 20; ++i) {
        const auto start_time = std::chrono::steady_clock::now();
        REQUIRE(run_ok(command).exit_code == 0);
        times.push_back(seconds_since(start_time));
    }
    const double best = *std::min_element(times.begin(), times.end());
    INFO("best " << 1e3 * best << " ms");
    // 1.3 ms on an idle machine. AddressSanitizer alone takes the supervisor tens to start.
#ifdef __SANITIZE_ADDRESS__
    CHECK(best < 0.5);
#else
    CHECK(best < 0.02);
#endif
}

// What a process has of the one that starts it, and what is told when it cannot be started.
#include "process/process.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "catch.hpp"

using namespace cugrade::process;
using namespace std::chrono_literals;

namespace {

/// Runs a shell's script with its output in a file in memory.
struct Ran {
    Ended how;
    std::string output;
};

Program shell(const std::string& script) {
    return {.path = "/bin/bash",
            .arguments = {"bash", "--norc", "-c", script},
            .environment = {"PATH=/usr/local/bin:/usr/bin:/bin"}};
}

Ran run(Program program) {
    const Descriptor file = memory_file("test");
    program.output = file.get();
    Failure why;
    auto child = start(program, why);
    INFO(why.text());
    REQUIRE(child);
    const Ended how = child->wait();
    return {how, text_of(file)};
}

Failure failure_of(const Program& program) {
    Failure why;
    const auto child = start(program, why);
    CHECK(!child);
    return why;
}

using Open = std::map<int, std::string>;

/// The descriptors of a process, once they are the expected ones or for two seconds not: a program
/// has others open while it loads its libraries.
Open open_in(const Program& program, const Open& expected) {
    Failure why;
    auto child = start(program, why);
    INFO(why.text());
    REQUIRE(child);
    namespace fs = std::filesystem;
    Open found;
    for (int attempt = 0; attempt < 200 && found != expected; ++attempt) {
        std::this_thread::sleep_for(10ms);
        found.clear();
        std::error_code gone;
        for (const auto& entry :
             fs::directory_iterator("/proc/" + std::to_string(child->pid()) + "/fd", gone))
            found[std::stoi(entry.path().filename())] = fs::read_symlink(entry, gone).string();
    }
    return found;
}

bool is_gone_within(pid_t pid, std::chrono::milliseconds longest) {
    const auto end = std::chrono::steady_clock::now() + longest;
    while (kill(pid, 0) == 0) {
        if (std::chrono::steady_clock::now() > end) return false;
        std::this_thread::sleep_for(5ms);
    }
    return true;
}

}  // namespace

TEST_CASE("how a process ended: its exit code, or the signal that ended it") {
    CHECK(run(shell("exit 0")).how.succeeded());
    CHECK(run(shell("exit 7")).how == Ended{.exit_code = 7});
    CHECK(run(shell("kill -SEGV $$")).how == Ended{.signal = SIGSEGV});
}

TEST_CASE("arguments, environment and folder are those that were given, and no others") {
    Program program = shell("echo $0 $1; /usr/bin/env | grep -vE '^(_|PWD|SHLVL)=' | sort; pwd");
    program.arguments.insert(program.arguments.end(), {"zero", "a b"});
    program.environment = {"A=b=c d", "PATH=/usr/bin:/bin"};
    program.directory = "/usr";
    CHECK(run(program).output == "zero a b\nA=b=c d\nPATH=/usr/bin:/bin\n/usr\n");
}

TEST_CASE("a process has the descriptors that were given, at their numbers, and no others") {
    // Two that would leak: they are not close-on-exec.
    const Descriptor leak(open("/etc/passwd", O_RDONLY));
    const Descriptor high(fcntl(leak.get(), F_DUPFD, 200));
    const Descriptor first(memfd_create("first", 0)), second(memfd_create("second", MFD_CLOEXEC));
    const std::string one = "/memfd:first (deleted)", two = "/memfd:second (deleted)";
    Program program{.path = "/bin/sleep", .arguments = {"sleep", "60"}, .environment = {}};
    program.errors = null_device;
    Open expected{{0, "/dev/null"}, {1, "/dev/null"}, {2, "/dev/null"}};
    SECTION("none") {}
    SECTION("in order") {
        program.descriptors = {{first.get(), 3}, {second.get(), 7}};
        expected.insert({{3, one}, {7, two}});
    }
    SECTION("each one at the number of the other") {
        program.descriptors = {{first.get(), second.get()}, {second.get(), first.get()}};
        expected.insert({{second.get(), one}, {first.get(), two}});
    }
    SECTION("one at the number that it has here") {
        program.descriptors = {{second.get(), second.get()}};
        expected.insert({{second.get(), two}});
    }
    SECTION("the same one twice, once as a standard stream") {
        program.errors = second.get();
        program.descriptors = {{second.get(), 9}};
        expected[2] = expected[9] = two;
    }
    CHECK(open_in(program, expected) == expected);
    program.inherits_descriptors = true;
    expected.insert({{leak.get(), "/etc/passwd"}, {high.get(), "/etc/passwd"}});
    expected.insert({first.get(), one});
    Open inherited = open_in(program, expected);
    for (const auto& [number, file] : expected) CHECK(inherited[number] == file);
}

TEST_CASE("standard streams are what was asked for") {
    CHECK(run(shell("readlink /proc/$$/fd/0")).output == "/dev/null\n");
    const Descriptor errors = memory_file("errors");
    Program program = shell("echo said >&2; cat");
    const Descriptor input = memory_file("input");
    REQUIRE(write(input.get(), "read\n", 5) == 5);
    REQUIRE(lseek(input.get(), 0, SEEK_SET) == 0);
    program.input = input.get();
    program.errors = errors.get();
    CHECK(run(program).output == "read\n");
    CHECK(text_of(errors) == "said\n");
    // As here: a shell's own question whether two descriptors are of one file.
    Program same = shell("test /proc/self/fd/2 -ef /proc/" + std::to_string(getpid()) + "/fd/2");
    CHECK(run(same).how.succeeded());
}

TEST_CASE("signals are as a fresh program has them, whatever this process does with them") {
    const auto handled = std::signal(SIGUSR1, [](int) {});
    const auto ignored = std::signal(SIGPIPE, SIG_IGN);
    sigset_t blocked, before;
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGTERM);
    REQUIRE(pthread_sigmask(SIG_BLOCK, &blocked, &before) == 0);
    // The C library's own two, as its posix_spawn() hands them on.
    using Action = std::array<std::uintptr_t, 4>;  // the kernel's
    const Action ignore = {1};
    Action cancel{}, set_ids{};
    REQUIRE(syscall(SYS_rt_sigaction, 32, ignore.data(), cancel.data(), 8) == 0);
    REQUIRE(syscall(SYS_rt_sigaction, 33, ignore.data(), set_ids.data(), 8) == 0);
    const std::string status =
        run({.path = "/bin/cat", .arguments = {"cat", "/proc/self/status"}, .environment = {}})
            .output;
    sigset_t now;
    pthread_sigmask(SIG_SETMASK, &before, &now);
    std::signal(SIGUSR1, handled);
    std::signal(SIGPIPE, ignored);
    REQUIRE(syscall(SYS_rt_sigaction, 32, cancel.data(), nullptr, 8) == 0);
    REQUIRE(syscall(SYS_rt_sigaction, 33, set_ids.data(), nullptr, 8) == 0);
    INFO(status);
    for (const char* set : {"SigBlk", "SigIgn", "SigCgt"})
        CHECK(status.find(std::string(set) + ":\t0000000000000000\n") != std::string::npos);
    CHECK(sigismember(&now, SIGTERM) == 1);  // and the starter's own are as they were
    CHECK(sigismember(&now, SIGUSR2) == 0);
}

TEST_CASE("a program that cannot be executed is told with errno, and what could not be done") {
    Program missing{.path = "/nowhere/program", .arguments = {"program"}, .environment = {}};
    CHECK(failure_of(missing).step == "run");
    CHECK(failure_of(missing).number == ENOENT);
    CHECK(failure_of(missing).text() == "No such file or directory");
    CHECK(failure_of({.path = "/etc/passwd", .arguments = {"x"}, .environment = {}}).number ==
          EACCES);
    Program lost = shell("exit 0");
    lost.directory = "/nowhere";
    CHECK(failure_of(lost).text() ==
          "cannot enter the working directory: No such file or directory");
    Program closed = shell("exit 0");
    closed.descriptors = {{987, 3}};  // is not open
    CHECK(failure_of(closed).step == "arrange the file descriptors");
    CHECK(failure_of(closed).number == EBADF);
    Failure why;
    CHECK(start(shell("exit 0"), why));  // no child is left in the way
    CHECK(waitpid(-1, nullptr, WNOHANG) == -1);
    CHECK(errno == ECHILD);
}

TEST_CASE("limits are set, and never raised") {
    Program program = shell("ulimit -S -n; ulimit -H -n; ulimit -c");
    program.limits = {{RLIMIT_NOFILE, 64, 128}, {RLIMIT_CORE, 0, 0}};
    CHECK(run(program).output == "64\n128\n0\n");
    Program more = shell("ulimit -H -n");
    rlimit here{};
    REQUIRE(getrlimit(RLIMIT_NOFILE, &here) == 0);
    more.limits = {{RLIMIT_NOFILE, here.rlim_max + 1, here.rlim_max + 1}};
    CHECK(run(more).output ==
          (here.rlim_max == RLIM_INFINITY ? "unlimited" : std::to_string(here.rlim_max)) + "\n");
}

TEST_CASE("a process group of its own, or a session, keeps a terminal's signals away") {
    const auto group_and_session = [](Group group) {
        Program program = shell("read -r -a stat </proc/$$/stat; echo $$ ${stat[4]} ${stat[5]}");
        program.group = group;
        const Descriptor file = memory_file("test");
        program.output = file.get();
        Failure why;
        auto child = start(program, why);
        REQUIRE(child);
        REQUIRE(child->wait().succeeded());
        int pid = 0, its_group = 0, session = 0;
        REQUIRE(std::sscanf(text_of(file).c_str(), "%d %d %d", &pid, &its_group, &session) == 3);
        CHECK(pid == child->pid());
        return std::vector<bool>{its_group == getpgrp(), its_group == pid, session == pid};
    };
    CHECK(group_and_session(Group::parents) == std::vector<bool>{true, false, false});
    CHECK(group_and_session(Group::own) == std::vector<bool>{false, true, false});
    CHECK(group_and_session(Group::session) == std::vector<bool>{false, true, true});
}

TEST_CASE("privileges are given up where that is asked for") {
    const auto flag = [](bool wanted) {
        return run({.path = "/bin/grep",
                    .arguments = {"grep", "NoNewPrivs", "/proc/self/status"},
                    .environment = {},
                    .gains_no_privileges = wanted})
            .output;
    };
    CHECK(flag(true) == "NoNewPrivs:\t1\n");
    if (flag(false) != "NoNewPrivs:\t0\n") WARN("these tests have no privileges to give up");
}

TEST_CASE("what ends with the thread that started it is gone with that thread") {
    Program program{.path = "/bin/sleep", .arguments = {"sleep", "60"}, .environment = {}};
    program.ends_with_thread = GENERATE(true, false);
    CAPTURE(program.ends_with_thread);
    std::optional<Child> child;
    std::thread([&] {
        Failure why;
        auto started = start(program, why);
        if (started) child.emplace(*std::move(started));
    }).join();
    REQUIRE(child);
    const auto how = child->wait_for(program.ends_with_thread ? 5000ms : 200ms);
    CHECK(how.has_value() == program.ends_with_thread);
    if (how) CHECK(how->signal == SIGKILL);
}

TEST_CASE("a child object ends its process, and whoever waits does not wait for ever") {
    const Program program{.path = "/bin/sleep", .arguments = {"sleep", "60"}, .environment = {}};
    Failure why;
    pid_t pid = 0;
    {
        auto child = start(program, why);
        REQUIRE(child);
        pid = child->pid();
        CHECK(!child->wait_for(20ms));
    }
    CHECK(is_gone_within(pid, 0ms));
    auto child = start(program, why);
    REQUIRE(child);
    child->kill();
    CHECK(child->wait() == Ended{.signal = SIGKILL});
    CHECK(child->wait() == Ended{.signal = SIGKILL});  // told again, not waited for
    auto released = start(program, why);
    REQUIRE(released);
    pid = released->release();
    released.reset();
    CHECK(kill(pid, SIGKILL) == 0);
    CHECK(waitpid(pid, nullptr, 0) == pid);
}

TEST_CASE("many threads start programs at once, and each has its own descriptors") {
    std::vector<std::thread> threads;
    std::vector<std::string> outputs(8);
    for (std::size_t t = 0; t < outputs.size(); ++t)
        threads.emplace_back([&outputs, t] {
            for (int i = 0; i < 10; ++i) {
                const Descriptor file = memory_file("test");
                const Descriptor mine = memory_file(std::to_string(t).c_str());
                Program program = shell("readlink /proc/$$/fd/9");
                program.output = file.get();
                program.descriptors = {{mine.get(), 9}};
                Failure why;
                auto child = start(program, why);
                if (!child || !child->wait().succeeded()) return;
                outputs[t] += text_of(file);
            }
        });
    for (auto& thread : threads) thread.join();
    for (std::size_t t = 0; t < outputs.size(); ++t) {
        std::string expected;
        for (int i = 0; i < 10; ++i) expected += "/memfd:" + std::to_string(t) + " (deleted)\n";
        CHECK(outputs[t] == expected);
    }
}

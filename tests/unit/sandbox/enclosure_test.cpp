// Enclosures: what a command finds there, what it cannot reach, and what is left of it afterwards.
// Where the machine cannot make one, these tests fail and say why: grading would refuse there, too.
#include <fcntl.h>
#include <linux/sched.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <set>
#include <sstream>
#include <thread>

#include "catch.hpp"
#include "process/process.hpp"
#include "sandbox/calls.hpp"
#include "sandbox/process_tree.hpp"
#include "sandbox/sandbox.hpp"

using namespace cugrade;
using namespace cugrade::sandbox;
using Catch::Matchers::ContainsSubstring;
namespace fs = std::filesystem;

namespace {

const fs::path libexec = fs::path(CUGRADE_BUILD_DIR) / "libexec/cugrade";

std::unique_ptr<Keeper> keeper() {
    auto made = Keeper::make(libexec);
    INFO((made ? "" : made.error().text()));
    REQUIRE(made.ok());
    return *std::move(made);
}

/// A shell and its tools, under the list of calls that lets them be executed.
View with_shell() {
    View view{.calls = Calls::compiler};
    show_libraries(view);
    view.shown.push_back({"/usr/bin"});
    view.links.emplace_back("usr/bin", "/bin");
    return view;
}

Command shell(const std::string& script) {
    return {.argv = {"/usr/bin/bash", "-c", script},
            .directory = "/",
            .environment = {{"PATH", "/usr/bin"}, {"LC_ALL", "C"}}};
}

Outcome run_in(Keeper& keeper, const View& view, const Command& command,
               const Limits& limits = {}) {
    auto process = keeper.start(view, command, limits);
    INFO((process ? "" : process.error().text()));
    REQUIRE(process.ok());
    return (*process)->wait();
}

std::string output_of(Keeper& keeper, const std::string& script) {
    const Outcome outcome = run_in(keeper, with_shell(), shell(script));
    INFO(outcome.output << outcome.message);
    CHECK(outcome.end == End::exited);
    return outcome.output;
}

/// Whether what bubblewrap starts can have the capabilities that a maker of enclosures needs.
bool makers_work() {
    const std::string command =
        "bwrap --unshare-user --uid 1000 --gid 1000 --cap-drop ALL --cap-add CAP_SYS_ADMIN --ro-bind / /"
        " grep -q '^CapEff:.*200000$' /proc/self/status 2>/dev/null";
    process::Failure why;
    auto child = process::start({.path = "/bin/sh",
                                 .arguments = {"sh", "-c", command},
                                 .environment = process::own_environment()},
                                why);
    REQUIRE(child);
    return child->wait().succeeded();
}

/// Whether a command has written "there" into the other end of a socket.
bool says_there(int socket) {
    char told[6];
    const timeval most{.tv_sec = 60, .tv_usec = 0};
    setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &most, sizeof most);
    return recv(socket, told, sizeof told, MSG_WAITALL) == sizeof told;
}

/// What a command prints in one enclosure of a submission while another runs in another.
std::string seen_beside(const View& view, const std::string& first, const std::string& second) {
    int pair[2];
    REQUIRE(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) == 0);
    const auto keep = keeper();
    auto one = keep->enclose(view), other = keep->enclose(view);
    REQUIRE(one.ok());
    REQUIRE(other.ok());
    Command command = shell(first + "\necho there >&9; read x <&9");
    command.fds = {{pair[1], 9}};
    auto running = (*one)->start(command, {});
    REQUIRE(running.ok());
    REQUIRE(says_there(pair[0]));
    auto process = (*other)->start(shell(second), {});
    REQUIRE(process.ok());
    std::string out = (*process)->wait().output;
    CHECK((*running)->running());
    for (const int fd : pair) close(fd);
    (*running)->kill();
    return out;
}

// ---- Victims: this program, executed in an enclosure by its open file -------------------------

/// A system call that a submission has no business with, and whether it was let through.
struct Call {
    const char* name;
    bool (*works)();
};

bool exists(long result) { return result >= 0 || (errno != ENOSYS && errno != EPERM); }

const Call forbidden[] = {
    {"ptrace", [] { return exists(ptrace(PTRACE_TRACEME, 0, nullptr, nullptr)); }},
    {"process_vm_readv", [] { return exists(syscall(SYS_process_vm_readv, 1, 0, 0, 0, 0, 0)); }},
    {"pidfd_open", [] { return exists(syscall(SYS_pidfd_open, getpid(), 0)); }},
    {"pidfd_getfd", [] { return exists(syscall(SYS_pidfd_getfd, 0, 3, 0)); }},
    {"keyctl", [] { return exists(syscall(SYS_keyctl, 0, -3, 1)); }},
    {"io_uring_setup", [] { return exists(syscall(SYS_io_uring_setup, 8, nullptr)); }},
    {"userfaultfd", [] { return exists(syscall(SYS_userfaultfd, 0)); }},
    {"bpf", [] { return exists(syscall(SYS_bpf, 0, nullptr, 0)); }},
    {"perf_event_open", [] { return exists(syscall(SYS_perf_event_open, nullptr, 0, -1, -1, 0)); }},
    {"unshare", [] { return exists(syscall(SYS_unshare, CLONE_NEWUSER)); }},
    {"setns", [] { return exists(syscall(SYS_setns, 0, 0)); }},
    {"mount", [] { return exists(syscall(SYS_mount, "none", "/tmp", "tmpfs", 0, nullptr)); }},
    {"clone into a user namespace",
     [] { return exists(syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, nullptr, nullptr, nullptr, 0)); }},
    {"clone3", [] { return exists(syscall(SYS_clone3, nullptr, 0)); }},
    {"memfd_create", [] { return exists(syscall(SYS_memfd_create, "m", 0)); }},
    {"shmget", [] { return exists(syscall(SYS_shmget, 0, 4096, 01600)); }},
    {"mq_open", [] { return exists(syscall(SYS_mq_open, "q", O_CREAT, 0600, nullptr)); }},
    {"socket", [] { return exists(socket(AF_UNIX, SOCK_STREAM, 0)); }},
    {"vsock", [] { return exists(socket(AF_VSOCK, SOCK_STREAM, 0)); }},
    {"execve",
     [] {
         char* none[] = {nullptr};
         return exists(execve("/usr/bin/true", none, none));
     }},
    {"execveat",
     [] {
         char* none[] = {nullptr};
         const int fd = open("/usr/lib/x86_64-linux-gnu/libc.so.6", O_PATH);
         return exists(syscall(SYS_execveat, fd, "", none, none, AT_EMPTY_PATH));
     }},
    {"TIOCSTI", [] { return exists(syscall(SYS_ioctl, 0, 0x5412, "x")); }},
    {"PR_SET_DUMPABLE", [] { return exists(prctl(PR_SET_DUMPABLE, 0)); }},
    {"prlimit of another", [] { return exists(syscall(SYS_prlimit64, 1, 0, nullptr, nullptr)); }},
};

int try_forbidden() {
    for (const Call& call : forbidden) {
        errno = 0;
        if (call.works()) std::cout << call.name << " works\n";
    }
    std::thread([] { std::cout << "threads work\n"; }).join();
    return 0;
}

/// What a submission could do to the process that started it.
int attack_init() {
    for (int signal = 1; signal < 32; ++signal) kill(1, signal);
    std::cout << "pid " << getpid() << ", parent " << getppid() << "\n";
    return 0;
}

int main_of_victim(const std::string& which) {
    if (which == "forbidden") return try_forbidden();
    if (which == "init") return attack_init();
    return 99;
}

/// Runs before main(), so that Catch never sees it.
[[gnu::constructor]] void become_victim() {
    if (const char* which = std::getenv("ENCLOSED_VICTIM")) {
        std::ios::Init streams;
        const int code = main_of_victim(which);
        std::cout.flush();
        _exit(code);
    }
}

View bare() {
    View view{.calls = Calls::runner};
    show_libraries(view);
#ifdef __SANITIZE_ADDRESS__
    view.has_proc = true;  // AddressSanitizer reads its memory map there
#endif
    return view;
}

Outcome run_victim(const std::string& which) {
    const process::Descriptor self(open("/proc/self/exe", O_RDONLY | O_CLOEXEC));
    const auto keep = keeper();
    return run_in(*keep, bare(),
                  {.argv = {"victim"},
                   .environment = {{"ENCLOSED_VICTIM", which}},
                   .program = self.get()});
}

}  // namespace

TEST_CASE("a command finds nothing but what its view shows") {
    const auto keep = keeper();
    // lib32 and its like are there where the machine has them.
    const std::string without_lib = " && ls -I 'lib*' | xargs";
    const std::string root = output_of(*keep, "cd /" + without_lib);
    CHECK(root == (makers_work() ? "bin dev etc tmp usr\n" : "bin dev etc sandbox-init tmp usr\n"));
    CHECK(output_of(*keep, "cd /usr" + without_lib) == "bin\n");
    CHECK(output_of(*keep, "echo /etc/* /dev/*") ==
          "/etc/ld.so.cache /dev/full /dev/null /dev/random /dev/urandom /dev/zero\n");
    CHECK(output_of(*keep, "cat /etc/passwd /proc/self/status 2>&1 | grep -c 'No such file'") ==
          "2\n");
    CHECK(output_of(*keep, "id -u; hostname 2>/dev/null || uname -n") == "1000\nsandbox\n");
    CHECK(output_of(*keep, "for f in / /usr /usr/bin /usr/lib /etc /dev; do"
                           " echo x >$f/new && echo $f; done 2>/dev/null; true") == "");
    CHECK(output_of(*keep, "echo x >/tmp/new && cat /tmp/new") == "x\n");
}

TEST_CASE("a hidden folder is empty, and what is shown below it is there") {
    const auto keep = keeper();
    View view = with_shell();
    view.hidden = {"/usr/lib/x86_64-linux-gnu/perl-base", "/no/such/folder"};
    const auto said = run_in(*keep, view, shell("ls -A /usr/lib/x86_64-linux-gnu/perl-base | wc -l"));
    CHECK(said.output == "0\n");
}

TEST_CASE("a view with a file that is not there is an error with its name") {
    const auto keep = keeper();
    View view = with_shell();
    view.shown.push_back({"/no/such/file"});
    const auto enclosure = keep->enclose(view);
    REQUIRE_FALSE(enclosure.ok());
    CHECK_THAT(enclosure.error().text(), ContainsSubstring("/no/such/file"));
}

TEST_CASE("a command has no capability, and cannot get one") {
    const auto keep = keeper();
    View view = with_shell();
    view.has_proc = true;
    const auto said = run_in(*keep, view, shell("grep -E '^(Cap|NoNewPrivs|Seccomp:)' /proc/self/status"));
    const std::string none = ":\t0000000000000000\n";
    CHECK(said.output == "CapInh" + none + "CapPrm" + none + "CapEff" + none + "CapBnd" + none + "CapAmb" +
                             none + "NoNewPrivs:\t1\nSeccomp:\t2\n");
}

TEST_CASE("each mount in an enclosure is read-only but the private folder, and none has devices of others") {
    const auto keep = keeper();
    View view = with_shell();
    view.has_proc = true;
    view.hidden = {"/usr/lib/x86_64-linux-gnu/perl-base"};
    const auto said = run_in(*keep, view, shell("cat /proc/self/mountinfo"));
    std::istringstream lines(said.output);
    std::set<std::string> writable, with_devices;
    int all = 0;
    for (std::string line; std::getline(lines, line); ++all) {
        std::istringstream words(line);
        std::string skipped, path, options;
        for (int i = 0; i < 4; ++i) words >> skipped;
        words >> path >> options;
        INFO(line);
        CHECK_THAT("," + options + ",", ContainsSubstring(",nosuid,"));
        if (options.find("nodev") == std::string::npos) with_devices.insert(path);
        if (("," + options + ",").find(",ro,") == std::string::npos) writable.insert(path);
    }
    CHECK(all > 8);
    const std::set<std::string> devices{"/dev/full", "/dev/null", "/dev/random", "/dev/urandom",
                                        "/dev/zero"};
    CHECK(with_devices == devices);
    for (const std::string& device : devices) writable.erase(device);
    CHECK(writable.erase("/tmp") == 1);
    CHECK(writable.erase("/proc") == 1);
    writable.erase("/usr/lib/x86_64-linux-gnu/perl-base");  // its owner may not write there
    CHECK(writable.empty());
}

TEST_CASE("an enclosure sees no process, file or message of another of the same submission") {
    View view = with_shell();
    view.has_proc = true;
    CHECK(seen_beside(view, "echo secret >/tmp/secret; sleep 1001 &",
                      "ls -A /tmp; cat /proc/[0-9]*/cmdline | grep -ac '[s]leep'") == "0\n");
    // Its own process 1 and the shell, with what that starts.
    CHECK(seen_beside(view, "sleep 1001 &", "cd /proc; set -- [0-9]*; echo $#") == "2\n");
    const std::string names = "readlink /proc/self/ns/{pid,mnt,ipc,net}";
    const auto keep = keeper();
    std::set<std::string> seen;
    for (int i = 0; i < 3; ++i) {
        auto enclosure = keep->enclose(view);
        REQUIRE(enclosure.ok());
        auto process = (*enclosure)->start(shell(names), {});
        REQUIRE(process.ok());
        std::istringstream lines((*process)->wait().output);
        for (std::string line; std::getline(lines, line);) CHECK(seen.insert(line).second);
        static std::vector<std::unique_ptr<Enclosure>> all;  // or a name could be taken again
        all.push_back(*std::move(enclosure));
    }
    CHECK(seen.size() == 12);
}

TEST_CASE("what the maker of enclosures has not been shown is shown all the same") {
    char name[] = "/tmp/cugrade_shown_XXXXXX";
    REQUIRE(mkdtemp(name) != nullptr);
    const fs::path folder = name, closed = folder / "closed";
    fs::create_directories(folder / "open/below");
    fs::create_directories(closed);
    for (const fs::path& file : {folder / "open/below/file", folder / "file", closed / "file"})
        std::ofstream(file) << "content\n";
    fs::permissions(folder, fs::perms(0755));
    fs::permissions(closed, fs::perms(0700));
    View view = with_shell();
    view.folder = "/work";
    view.shown.push_back({folder / "file"});
    view.shown.push_back({closed / "file", "/shown/file"});
    const auto keep = keeper();
    const std::string file = (folder / "file").string();
    CHECK(run_in(*keep, view, shell("cat /shown/file " + file + "; echo x 2>/dev/null >>" + file +
                                    " || echo fixed; ls " + name)).output ==
          "content\ncontent\nfixed\nfile\n");
    view.shown.push_back({folder / "open"});
    CHECK(run_in(*keep, view, shell("cat " + (folder / "open/below/file").string())).output == "content\n");
    fs::remove_all(folder);
}

TEST_CASE("what ends the maker of enclosures ends what runs in them, and the next is made anew") {
    const auto keep = keeper();
    int pair[2];
    REQUIRE(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) == 0);
    Command command = shell("echo there >&9; read x <&9");
    command.fds = {{pair[1], 9}};
    auto process = keep->start(with_shell(), command, {.wall_s = 60});
    REQUIRE(process.ok());
    REQUIRE(says_there(pair[0]));
    // All that this test has started: supervisors, then bubblewrap, which ends its process 1.
    std::vector<pid_t> found;
    for_each_descendant(getpid(), [&](pid_t pid) {
        std::ifstream in("/proc/" + std::to_string(pid) + "/comm");
        std::string name_of;
        if (in >> name_of && name_of == "bwrap") found.push_back(pid);
        return true;
    });
    REQUIRE_FALSE(found.empty());
    for (const pid_t pid : found) kill(pid, SIGKILL);
    const Outcome outcome = (*process)->wait();
    CHECK(outcome.end == End::not_started);
    CHECK_THAT(outcome.message, ContainsSubstring("ended from outside"));
    for (const int fd : pair) close(fd);
    CHECK(output_of(*keep, "echo well") == "well\n");
}

TEST_CASE("an enclosure has no network") {
    const auto keep = keeper();
    CHECK(output_of(*keep, "exec 3<>/dev/tcp/127.0.0.1/22 && echo open; true").find("open") ==
          std::string::npos);
}

TEST_CASE("the private folder has a size, and is empty for the next command") {
    const auto keep = keeper();
    View view = with_shell();
    view.folder_bytes = 1 << 20;
    const auto full = run_in(*keep, view, shell("head -c 2M /dev/zero >/tmp/a; stat -c %s /tmp/a"));
    CHECK_THAT(full.output, ContainsSubstring("No space left"));
    CHECK_THAT(full.output, ContainsSubstring("1048576"));
    const auto left = shell("mkdir -p /tmp/d/e; echo x >/tmp/d/e/f; ln -s / /tmp/root;"
                            " chmod 000 /tmp/d/e /tmp/d");
    CHECK(run_in(*keep, view, left).exit_code == 0);
    CHECK(run_in(*keep, view, shell("ls -A /tmp | wc -l")).output == "0\n");
}

TEST_CASE("a folder that keeps files can be read from outside") {
    const auto keep = keeper();
    View view = with_shell();
    view.folder = "/work";
    view.keeps_files = true;
    auto enclosure = keep->enclose(view);
    REQUIRE(enclosure.ok());
    for (const char* script : {"echo made >/work/file", "cat /work/file"}) {
        auto process = (*enclosure)->start(shell(script), {});
        REQUIRE(process.ok());
        CHECK((*process)->wait().exit_code == 0);
    }
    const process::Descriptor file(openat((*enclosure)->folder().get(), "file", O_RDONLY | O_NOFOLLOW));
    REQUIRE(file.is_open());
    CHECK(process::text_of(file) == "made\n");
}

TEST_CASE("files are put into an enclosure, whoever may read them outside") {
    const auto keep = keeper();
    auto enclosure = keep->enclose(with_shell());
    REQUIRE(enclosure.ok());
    const fs::path file = fs::temp_directory_path() / ("cugrade_put_" + std::to_string(getpid()));
    std::ofstream(file) << std::string(200000, 'x') << "end";
    REQUIRE(chmod(file.c_str(), 0600) == 0);
    CHECK((*enclosure)->put(file, "a/b/file").ok());
    CHECK_FALSE((*enclosure)->put(file, "a/b/file").ok());
    fs::remove(file);
    CHECK_FALSE((*enclosure)->put(file, "none").ok());
    CHECK((*enclosure)->make_folder("made/here").ok());
    auto process = (*enclosure)->start(
        shell("wc -c </tmp/a/b/file; tail -c 3 /tmp/a/b/file; echo /tmp/made/*"), {});
    INFO((process ? "" : process.error().text()));
    REQUIRE(process.ok());
    CHECK((*process)->wait().output == "200003\nend/tmp/made/here\n");
}

TEST_CASE("nothing of a command is left for the next one in the same enclosure") {
    const auto keep = keeper();
    const View view = with_shell();
    auto enclosure = keep->enclose(view);
    REQUIRE(enclosure.ok());
    const auto run = [&](const std::string& script) {
        auto process = (*enclosure)->start(shell(script), {});
        REQUIRE(process.ok());
        return (*process)->wait();
    };
    // A daemon in a session of its own, and one that ignores what it can.
    CHECK(run("(setsid bash -c 'sleep 1000' &) ; (trap '' TERM HUP INT; sleep 1000 &) ; exit 7")
              .exit_code == 7);
    CHECK((*enclosure)->is_idle());
    CHECK(run("kill -0 -1 2>&1 || echo alone").output.find("alone") != std::string::npos);
}

TEST_CASE("limits hold in an enclosure, which takes the next command afterwards") {
    const auto keep = keeper();
    const View view = with_shell();
    const auto end_of = [&](const std::string& script, const Limits& limits) {
        const auto start = std::chrono::steady_clock::now();
        const auto outcome = run_in(*keep, view, shell(script), limits);
        INFO(outcome.message << outcome.output.substr(0, 100));
        CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(20));
        CHECK(output_of(*keep, "echo well") == "well\n");
        return outcome.end;
    };
    CHECK(end_of("sleep 1000", {.wall_s = 0.3}) == End::wall_limit);
    CHECK(end_of("while :; do :; done", {.wall_s = 30, .cpu_s = 0.3}) == End::cpu_limit);
    CHECK(end_of("a=$(head -c 300M /dev/zero | tr '\\0' x); sleep 1000",
                 {.wall_s = 30, .cpu_s = 30, .memory_bytes = 100 << 20}) == End::memory_limit);
    CHECK(end_of("f() { f | f & }; f; sleep 1000", {.wall_s = 30, .processes = 20}) ==
          End::process_limit);
    CHECK(end_of("head -c 2M /dev/zero", {.output_bytes = 1 << 20}) == End::output_limit);
    CHECK(end_of("head -c 2M /dev/zero >/tmp/file; exit 1", {.file_bytes = 1 << 20}) == End::exited);
    CHECK(end_of("i=0; while :; do : >/tmp/$((i++)); done",
                 {.wall_s = 30, .cpu_s = 30, .files = 1000}) == End::file_limit);
    CHECK(end_of("kill -SEGV $$", {}) == End::signalled);
}

TEST_CASE("processor time and memory are of one command, not of those before it") {
    const auto keep = keeper();
    const View view = with_shell();
    const auto first = run_in(*keep, view, shell("a=$(head -c 60M /dev/zero | tr '\\0' x)"),
                              {.wall_s = 60, .cpu_s = 60});
    CHECK(first.peak_memory_bytes > (60 << 20));
    CHECK(first.cpu_s > 0.01);
    const auto second = run_in(*keep, view, shell("true"));
    CHECK(second.peak_memory_bytes < (30 << 20));
    CHECK(second.cpu_s < first.cpu_s);
}

TEST_CASE("a command in an enclosure pauses and goes on") {
    int pair[2];
    REQUIRE(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
    const auto keep = keeper();
    Command command = shell("count='while :; do echo >&9; done'; setsid bash -c \"$count\" & eval \"$count\"");
    command.fds = {{pair[1], 9}};
    auto process = keep->start(with_shell(), command, {.wall_s = 100, .cpu_s = 100});
    REQUIRE(process.ok());
    const auto drained = [&] {
        char buffer[65536];
        std::size_t all = 0;
        for (ssize_t got = 0; (got = recv(pair[0], buffer, sizeof buffer, MSG_DONTWAIT)) > 0;)
            all += static_cast<std::size_t>(got);
        return all;
    };
    const auto wait = [](int ms) { std::this_thread::sleep_for(std::chrono::milliseconds(ms)); };
    for (int tries = 0; drained() == 0 && tries < 1000; ++tries) wait(5);
    REQUIRE((*process)->pause().ok());
    drained();
    wait(50);
    CHECK(drained() == 0);
    CHECK((*process)->paused_throughout());
    (*process)->keep_processor_awake();
    (*process)->resume();
    wait(100);
    CHECK(drained() > 0);
    (*process)->kill();
    CHECK((*process)->wait().end == End::killed);
    for (const int fd : pair) close(fd);
}

TEST_CASE("a submission's program makes no call that it has no business with") {
    const Outcome outcome = run_victim("forbidden");
    INFO(outcome.message);
    CHECK(outcome.output == "threads work\n");
    CHECK(outcome.end == End::exited);
}

TEST_CASE("a submission's program cannot harm the process that started it") {
    const Outcome outcome = run_victim("init");
    CHECK_THAT(outcome.output, ContainsSubstring("parent 1\n"));
    CHECK(outcome.end == End::exited);
}

TEST_CASE("each name in the lists of system calls is one") {
    for (const Calls list : {Calls::runner, Calls::gpu_runner, Calls::emulator, Calls::compiler}) {
        for (const std::string_view name : allowed_calls(list)) {
            INFO(name);
            CHECK(is_system_call(name));
        }
        CHECK(filter_for(list).ok());
    }
}

TEST_CASE("a user's number is taken as long as a process of that user can be alive") {
    if (geteuid() != 0) return;
    auto keep = keeper();
    REQUIRE(keep->own_user());
    const int lock = open(("/run/cugrade-users/" + std::to_string(*keep->own_user())).c_str(),
                          O_RDWR | O_CLOEXEC);
    REQUIRE(lock >= 0);
    auto process = keep->start(with_shell(), shell("sleep 60"), {.wall_s = 70});
    REQUIRE(process.ok());
    keep.reset();  // as if the grader were gone, but for the process
    CHECK(flock(lock, LOCK_EX | LOCK_NB) != 0);
    process->reset();
    bool is_free = false;
    for (int tries = 0; !is_free && tries < 500; ++tries) {
        is_free = flock(lock, LOCK_EX | LOCK_NB) == 0;
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    CHECK(is_free);
    close(lock);
}

TEST_CASE("as root, two submissions run as two users who own nothing") {
    if (geteuid() != 0) return;
    const auto one = keeper(), other = keeper();
    const auto user_of = [](Keeper& keep) {
        int pair[2];
        REQUIRE(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
        Command command = shell("read x <&9");
        command.fds = {{pair[1], 9}};
        auto process = keep.start(with_shell(), command, {});
        REQUIRE(process.ok());
        uid_t user = 0;
        for (int tries = 0; user == 0 && tries < 200; ++tries) {
            for (const auto& entry : fs::directory_iterator("/proc")) {
                std::ifstream in(entry.path() / "cmdline");
                const std::string text{std::istreambuf_iterator<char>(in), {}};
                struct stat info {};
                if (text.find("read x <&9") != std::string::npos &&
                    stat(entry.path().c_str(), &info) == 0)
                    user = info.st_uid;
            }
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
        }
        for (const int fd : pair) close(fd);
        (*process)->kill();
        (*process)->wait();
        return user;
    };
    const uid_t first = user_of(*one), second = user_of(*other);
    CHECK(first >= 61184);
    CHECK(second >= 61184);
    CHECK(first != second);
}

// The last case, so that a failure of the others has been seen. What bubblewrap starts has no capability
// with AppArmor's bwrap-userns-restrict.
TEST_CASE("all of this holds where bubblewrap has to make each enclosure", "[alone]") {
    const char* path = std::getenv("PATH");
    REQUIRE(path != nullptr);
    char name[] = "/tmp/cugrade_bwrap_XXXXXX";
    REQUIRE(mkdtemp(name) != nullptr);
    const fs::path folder = name;
    fs::permissions(folder, fs::perms(0755));
    const std::string real = find_program("bwrap", path);
    std::ofstream(folder / "bwrap") << "#!/bin/bash\nwhile [ $# -gt 0 ]; do\n"
                                       "    if [ \"$1\" = --cap-add ]; then shift 2; continue; fi\n"
                                       "    all+=(\"$1\"); shift\ndone\nexec "
                                    << real << " \"${all[@]}\"\n";
    fs::permissions(folder / "bwrap", fs::perms(0755));
    std::vector<std::string> environment = process::own_environment();
    std::erase_if(environment, [](const std::string& text) { return text.starts_with("PATH="); });
    environment.push_back("PATH=" + folder.string() + ":" + path);
    process::Failure why;
    auto child = process::start({.path = "/proc/self/exe",
                                 .arguments = {"test_sandbox", "-#", "[#enclosure_test]~[alone]~[.]"},
                                 .environment = environment,
                                 .output = process::as_parent},
                                why);
    REQUIRE(child);
    CHECK(child->wait().succeeded());
    fs::remove_all(folder);
}

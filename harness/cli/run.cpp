// `cugrade run`: an ordinary CUDA program, compiled by nvcc and run on the emulated GPU.
//
// Theory of operation. The files are compiled where they are, with the names that the user gave, so
// that nvcc's messages and #include work as they would without us; each file by itself, several at
// once. Linked with our CUDA runtime in the place of NVIDIA's, the program finds the emulator
// through a descriptor that it inherits, and everything else about it is its own: terminal, folder,
// exit code. The executable is kept in the build cache, under a key of all that it depends on, the
// files that it includes among it.
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <future>
#include <map>
#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>

#include "cli/choices.hpp"
#include "cli/commands.hpp"
#include "cli/diagnostic.hpp"
#include "cli/failure.hpp"
#include "cli/files.hpp"
#include "cli/terminal.hpp"
#include "datasets/seeds.hpp"
#include "emulator/client/emulator_process.hpp"
#include "grader/build.hpp"
#include "grader/build_cache.hpp"
#include "grader/build_messages.hpp"
#include "protocol/emulator_protocol.hpp"
#include "protocol/runner_protocol.hpp"
#include "sandbox/sandbox.hpp"

namespace cugrade::cli {
namespace {

namespace fs = std::filesystem;

/// What valgrind's users choose, too: few programs end with it.
constexpr int exit_findings = 99;

struct RunArguments {
    std::vector<std::string> files;
    std::vector<std::string> program;  ///< what comes after --
    std::vector<std::string> nvcc_flags;
    std::string counts;  ///< file for what the kernels did; empty: not counted
    std::string backend = "emulator";
    int ptx_arch = 75;
    bool rdc = false;
    bool check = false;
    int explore = 0;  ///< schedules to try; 0: the one of `seed` alone, and nothing is compared
    std::uint64_t seed = 0;
    std::uint64_t budget = 0;
    bool no_budget = false;
    int emulator_threads = 0;  ///< 0: one per processor
};

// ------------------------------------------------------------------------------- what is included

/// Every file of the user's own that a source includes, directly or not. Toolkit and system headers
/// are covered by the compilers' versions.
class Includes {
public:
    explicit Includes(const std::vector<std::string>& nvcc_flags) {
        for (std::size_t i = 0; i < nvcc_flags.size(); ++i) {
            const std::string& flag = nvcc_flags[i];
            if (flag == "-I" && i + 1 < nvcc_flags.size())
                folders_.emplace_back(nvcc_flags[i + 1]);
            else if (flag.starts_with("-I"))
                folders_.emplace_back(flag.substr(2));
        }
    }

    void add(const fs::path& file) {
        if (!texts_.try_emplace(file).second) return;
        auto read = read_file(file);
        std::string text = read ? *std::move(read) : std::string();
        for (std::size_t at = 0; at < text.size();) {
            const std::size_t end = std::min(text.find('\n', at), text.size());
            look(file, std::string_view(text).substr(at, end - at));
            at = end + 1;
        }
        texts_[file] = std::move(text);
    }
    [[nodiscard]] const std::map<fs::path, std::string>& texts() const { return texts_; }
    /// An include that only the preprocessor could resolve.
    [[nodiscard]] bool unclear() const { return unclear_; }

private:
    void look(const fs::path& file, std::string_view line) {
        const auto skip = [&line] {
            line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
        };
        skip();
        if (!line.starts_with('#')) return;
        line.remove_prefix(1);
        skip();
        if (!line.starts_with("include")) return;
        line.remove_prefix(7);
        skip();
        if (line.empty()) return;
        if (line[0] != '"' && line[0] != '<') {
            unclear_ = true;
            return;
        }
        const std::size_t end = line.find(line[0] == '<' ? '>' : '"', 1);
        if (end == std::string_view::npos) return;
        const fs::path name(line.substr(1, end - 1));
        std::vector<fs::path> candidates;
        if (line[0] == '"') candidates.push_back(file.parent_path() / name);
        for (const fs::path& folder : folders_) candidates.push_back(folder / name);
        std::error_code error;
        for (const fs::path& candidate : candidates)
            if (fs::is_regular_file(candidate, error)) {
                add(candidate);
                return;
            }
    }

    std::vector<fs::path> folders_;
    std::map<fs::path, std::string> texts_;
    bool unclear_ = false;
};

// ------------------------------------------------------------------------------------------ build

/// The compiler has said why.
struct CompileFailed {};

class ProgramBuild {
public:
    ProgramBuild(const RunArguments& arguments, Home home)
        : arguments_(arguments),
          home_(std::move(home)),
          toolchain_(value_of(Toolchain::find())),
          library_(home_.lib / "libcugrade_cudart.a") {
        const auto given = [&](std::initializer_list<std::string_view> flags) {
            return std::ranges::any_of(arguments_.nvcc_flags, [&](const std::string& f) {
                return std::ranges::find(flags, f) != flags.end();
            });
        };
        const bool linked_apart = given({"-rdc=false", "--relocatable-device-code=false"});
        rdc_ = !linked_apart &&
               (arguments_.rdc || arguments_.files.size() > 1 ||
                given({"-rdc=true", "--relocatable-device-code=true", "-dc", "--device-c"}));
        debug_ = given({"-G", "--device-debug"});
    }

    /// Path of the executable. Whatever the compilers print goes to standard error.
    fs::path run() {
        const BuildCache cache = value_of(BuildCache::open());
        const std::string key = this->key();
        if (!key.empty())
            if (auto known = cache.find(key); known && known->build) {
                fmt::print(stderr, "{}", known->build->compiler_output);
                return known->build->executable;
            }
        const auto launch = std::thread::hardware_concurrency() > 1 && arguments_.files.size() > 1
                                ? std::launch::async
                                : std::launch::deferred;
        std::vector<std::future<sandbox::Outcome>> running;
        std::vector<std::string> objects;
        for (const std::string& file : arguments_.files) {
            objects.push_back((work_.path() / fmt::format("{}.o", objects.size())).string());
            running.push_back(std::async(launch, [this, file, object = objects.back()] {
                std::vector<std::string> words = compile_words();
                words.insert(words.end(), {"-c", file, "-o", object});
                return tool(std::move(words));
            }));
        }
        std::string output;
        bool failed = false;
        for (auto& one : running) {
            const sandbox::Outcome outcome = one.get();
            output += outcome.output;
            failed = failed || outcome.end != sandbox::End::exited || outcome.exit_code != 0;
        }
        fmt::print(stderr, "{}", output);
        if (failed) throw CompileFailed();
        if (rdc_) objects.push_back(link_device(objects));
        const fs::path program = work_.path() / "program";
        link(objects, program);
        BuildOutcome outcome;
        outcome.build = Build{.executable = program, .compiler_output = output};
        return value_of(cache.store(key, std::move(outcome))).build->executable;
    }

private:
    [[nodiscard]] std::vector<std::string> common_words() const {
        return {toolchain_.nvcc.string(), "-ccbin", toolchain_.host_compiler.string(), "-gencode",
                fmt::format("arch=compute_{0},code=compute_{0}", arguments_.ptx_arch)};
    }
    [[nodiscard]] std::vector<std::string> compile_words() const {
        std::vector<std::string> words = common_words();
        words.insert(words.end(), {"-cudart", "none", "-Xcompiler", "-O2"});
        if (!debug_) words.emplace_back("-lineinfo");
        if (rdc_) words.emplace_back("-rdc=true");
        words.insert(words.end(), arguments_.nvcc_flags.begin(), arguments_.nvcc_flags.end());
        return words;
    }

    /// Hash of all that the executable depends on; empty: that cannot be told.
    [[nodiscard]] std::string key() const {
        std::string text = "cugrade program key 1\n";
        const auto add = [&text](std::string_view value) {
            text += fmt::format("{}\n{}\n", value.size(), value);
        };
        const auto add_file = [&](const fs::path& file) {
            const auto content = read_file(file);
            add(content ? datasets::sha256(*content) : std::string());
        };
        std::error_code error;
        add(CUGRADE_VERSION);
        add(toolchain_.nvcc_version);
        // Where relative names are from is in the line information.
        const auto relative = [](const std::string& f) { return fs::path(f).is_relative(); };
        if (std::ranges::any_of(arguments_.files, relative)) add(fs::current_path(error).string());
        add_file(library_);
        add_file(toolchain_.host_compiler);
        for (const std::string& word : compile_words()) add(word);
        Includes includes(arguments_.nvcc_flags);
        for (const std::string& file : arguments_.files) {
            add(file);
            includes.add(file);
        }
        for (const auto& [file, content] : includes.texts()) {
            add(file.string());
            add(content);
        }
        return includes.unclear() ? std::string() : datasets::sha256(text);
    }

    sandbox::Outcome tool(std::vector<std::string> words) const {
        sandbox::Command command{.argv = std::move(words)};
        for (char** e = environ; *e != nullptr; ++e) {
            const std::string_view entry(*e);
            const std::size_t equals = entry.find('=');
            if (equals != std::string_view::npos)
                command.environment[std::string(entry.substr(0, equals))] =
                    entry.substr(equals + 1);
        }
        // nvcc calls its own tools and the host compiler through PATH.
        std::string& path = command.environment["PATH"];
        path = toolchain_.nvcc.parent_path().string() + ":" + path;
        sandbox::Outcome outcome =
            value_of(sandbox::run(home_.libexec / "supervisor", command,
                                  {.wall_s = 0,
                                   .cpu_s = 0,
                                   .processes = 0,
                                   .file_bytes = 0,
                                   .output_bytes = std::uint64_t{16} << 20}));
        if (outcome.end == sandbox::End::not_started)
            throw Failure(Error{.message = outcome.message});
        return outcome;
    }

    void must(const sandbox::Outcome& outcome, std::string_view hint = {}) const {
        if (outcome.end == sandbox::End::exited && outcome.exit_code == 0) return;
        fmt::print(stderr, "{}", outcome.output);
        if (!hint.empty() && outcome.output.find("ultiple definition") != std::string::npos)
            fmt::print(stderr, "{}", hint);
        // A function of CUDA's runtime that ours does not have.
        std::set<std::string> gaps;
        for (const std::string& name : undefined_symbols(outcome.output))
            if (name.starts_with("cuda") || name.starts_with("__cuda")) gaps.insert(name);
        if (!gaps.empty())
            fmt::print(stderr, "cugrade: the emulated GPU's runtime does not have {}\n",
                       fmt::join(gaps, ", "));
        throw CompileFailed();
    }

    /// Makes the table of the program's translation units that nvcc's code registers them by. The
    /// PTX itself is linked when it is loaded.
    std::string link_device(const std::vector<std::string>& objects) const {
        std::string table = (work_.path() / "device.o").string();
        must(tool(device_link(toolchain_, {.archs = {arguments_.ptx_arch}}, objects, table)));
        return table;
    }

    void link(const std::vector<std::string>& objects, const fs::path& program) const {
        std::vector<std::string> words = common_words();
        // Libraries among the user's flags come after the objects that need them.
        words.insert(words.end(), {"-cudart", "none", "-o", program.string()});
        words.insert(words.end(), objects.begin(), objects.end());
        for (const std::string& flag : arguments_.nvcc_flags)
            if (!flag.starts_with("-rdc") && !flag.starts_with("--relocatable") && flag != "-dc" &&
                flag != "--device-c")
                words.push_back(flag);
        words.insert(words.end(), {library_.string(), "-ldl", "-lrt", "-lpthread"});
        must(tool(std::move(words)),
             rdc_ ? "cugrade: several files are compiled with -rdc=true, so that they can use each "
                    "other's device code;\n  --nvcc-flag=-rdc=false keeps it apart, or make one of "
                    "the definitions static\n"
                  : "");
    }

    const RunArguments& arguments_;
    Home home_;
    Toolchain toolchain_;
    fs::path library_;
    TemporaryFolder work_ = value_of(TemporaryFolder::make("cugrade-run-"));
    bool rdc_ = false;
    bool debug_ = false;
};

// -------------------------------------------------------------------------------------------- run

/// Signals from the terminal reach the program by themselves; what is sent to us alone is passed
/// on. We stay to report.
class Signals {
public:
    Signals() {
        for (std::size_t i = 0; i < std::size(numbers); ++i)
            old_[i] = ::signal(numbers[i], i < from_terminal ? SIG_IGN : pass_on);
    }
    Signals(const Signals&) = delete;
    ~Signals() {
        for (std::size_t i = 0; i < std::size(numbers); ++i) ::signal(numbers[i], old_[i]);
    }
    static constexpr int numbers[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP};
    static inline volatile sig_atomic_t program = 0;  ///< its process, while it runs

private:
    static constexpr std::size_t from_terminal = 2;
    static void pass_on(int number) {
        if (program > 0) ::kill(program, number);
    }
    sighandler_t old_[std::size(numbers)];
};

/// Where a program reads and writes; -1: as we do.
struct Streams {
    int in = -1, out = -1, err = -1;
};

/// Starts the program with the emulator's descriptor and waits. Returns its wait status.
int execute(const fs::path& program, const RunArguments& arguments, int emulator,
            const Streams& streams) {
    std::vector<std::string> words{arguments.files.front()};
    // What $0 is matters to usage texts only: the source's name without its extension.
    words.front() = "./" + fs::path(words.front()).stem().string();
    words.insert(words.end(), arguments.program.begin(), arguments.program.end());
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    std::string variable = fmt::format("{}={}", protocol::emulator_fd_variable, emulator);
    std::vector<char*> environment;
    for (char** e = environ; *e != nullptr; ++e) environment.push_back(*e);
    environment.push_back(variable.data());
    environment.push_back(nullptr);

    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, emulator, emulator);  // inherited from now on
    const std::pair<int, int> redirected[] = {
        {streams.in, STDIN_FILENO}, {streams.out, STDOUT_FILENO}, {streams.err, STDERR_FILENO}};
    for (const auto& [from, to] : redirected)
        if (from >= 0) posix_spawn_file_actions_adddup2(&actions, from, to);
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    sigset_t defaults;
    sigemptyset(&defaults);
    for (const int number : Signals::numbers) sigaddset(&defaults, number);
    posix_spawnattr_setsigdefault(&attributes, &defaults);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
    pid_t pid = -1;
    const int error =
        posix_spawn(&pid, program.c_str(), &actions, &attributes, argv.data(), environment.data());
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    ::close(emulator);
    if (error != 0)
        throw Failure(
            Error{.message = fmt::format("the program cannot be started: {}", std::strerror(error)),
                  .file = program.string()});
    Signals::program = pid;
    int status = 0;
    while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    Signals::program = 0;
    return status;
}

int exit_code_of(int status) {
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/// Prints all findings. True if one of them is an error.
bool print_findings(const emulator::FindingList& list, int status) {
    using emulator::FindingKind;
    int errors = 0, warnings = 0;
    for (const emulator::Finding& finding : list.all) {
        // Whoever stops early leaves its memory to the system.
        if (finding.kind == FindingKind::never_freed && status != 0) continue;
        fmt::print(stderr, "{}", diagnostic(finding));
        ++(is_warning(finding.kind) ? warnings : errors);
    }
    const auto counted = [](std::string_view what, int n) {
        return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s");
    };
    if (list.dropped != 0) fmt::print(stderr, "cugrade: {} more are not shown\n", list.dropped);
    fmt::print(stderr, "cugrade: the checkers gave {} and {}\n", counted("error", errors),
               counted("warning", warnings));
    return errors > 0;
}

/// What one run of the program came to.
struct Ran {
    int status = 0;        ///< as waitpid tells it
    bool stopped = false;  ///< by a signal from outside; nothing else is known then
    emulator::EmulatorProcess::State state;
    emulator::FindingList findings;
    std::string counts;
};

Ran run_once(const fs::path& program, const RunArguments& arguments, const Home& home,
             std::uint64_t seed, const Streams& streams) {
    emulator::EmulatorOptions options;
    options.libexec = home.libexec;
    options.machine.arch = arguments.ptx_arch;
    options.machine.host_threads = static_cast<std::uint32_t>(arguments.emulator_threads);
    options.warp_instruction_budget = arguments.no_budget ? 0 : arguments.budget;
    const auto device = value_of(emulator::EmulatorProcess::start(options));
    check(device->set_seed(seed));
    using namespace emulator::protocol;
    std::uint64_t observed = observe_nothing;
    if (!arguments.counts.empty()) observed |= observe_counters;
    if (arguments.check) observed |= observe_checkers;
    check(device->observe(observed));

    Ran ran;
    ran.status = execute(program, arguments, value_of(device->connect_runner()), streams);
    std::fflush(stderr);
    if (WIFSIGNALED(ran.status)) {
        const int signal = WTERMSIG(ran.status);
        // Whoever stopped the program may have done so in the middle of a kernel, for whose end we
        // would wait.
        ran.stopped = signal == SIGINT || signal == SIGTERM || signal == SIGKILL ||
                      signal == SIGQUIT || signal == SIGHUP;
        if (ran.stopped) return ran;
    }
    if (!arguments.counts.empty()) ran.counts = value_of(device->observations(observe_counters));
    if (arguments.check)
        ran.findings = value_of(
            emulator::findings_from_json(value_of(device->observations(observe_checkers))));
    ran.state = value_of(device->state());
    return ran;
}

/// What is to be said of a run, on standard error. Returns the exit code.
int report(const Ran& ran, const RunArguments& arguments) {
    if (ran.stopped) return exit_code_of(ran.status);
    if (WIFSIGNALED(ran.status))
        fmt::print(stderr, "cugrade: the program was ended by signal {} ({})\n",
                   WTERMSIG(ran.status), strsignal(WTERMSIG(ran.status)));
    if (!arguments.counts.empty()) check(write_atomically(arguments.counts, ran.counts + "\n"));
    if (arguments.check) {
        const bool wrong = print_findings(ran.findings, ran.status);
        return ran.status == 0 && wrong ? exit_findings : exit_code_of(ran.status);
    }
    if (ran.state.fault)
        fmt::print(stderr, "{}", diagnostic(*ran.state.fault));
    else if (!ran.state.first_api_error.empty())
        fmt::print(stderr, "cugrade: warning: the first CUDA call that failed: {}\n",
                   ran.state.first_api_error);
    return exit_code_of(ran.status);
}

int run_and_report(const fs::path& program, const RunArguments& arguments, const Home& home) {
    return report(run_once(program, arguments, home, arguments.seed, {}), arguments);
}

// --------------------------------------------------------------------------------------- explore

/// A file in memory that a program reads from or writes to.
class MemoryFile {
public:
    MemoryFile() : fd_(::memfd_create("cugrade-run", MFD_CLOEXEC)) {
        if (fd_ < 0)
            throw Failure(Error{
                .message = fmt::format("no file in memory can be made: {}", std::strerror(errno))});
    }
    MemoryFile(const MemoryFile&) = delete;
    ~MemoryFile() { ::close(fd_); }
    /// From its beginning.
    [[nodiscard]] int descriptor() const {
        ::lseek(fd_, 0, SEEK_SET);
        return fd_;
    }
    void fill_from(int descriptor) const {
        std::array<char, 65536> piece;
        for (ssize_t n = 0; (n = ::read(descriptor, piece.data(), piece.size())) > 0;)
            if (::write(fd_, piece.data(), static_cast<std::size_t>(n)) != n)
                throw Failure(Error{.message = "standard input cannot be kept in memory"});
    }
    [[nodiscard]] std::string text() const {
        std::string out;
        std::array<char, 65536> piece;
        const int from = descriptor();
        for (ssize_t n = 0; (n = ::read(from, piece.data(), piece.size())) > 0;)
            out.append(piece.data(), static_cast<std::size_t>(n));
        return out;
    }

private:
    int fd_;
};

/// The first line in which two texts differ, of each one.
std::string first_difference(const std::string& a, const std::string& b, std::uint64_t seed_a,
                             std::uint64_t seed_b) {
    std::istringstream in_a(a), in_b(b);
    std::string line_a, line_b;
    for (int number = 1;; ++number) {
        const bool more_a = static_cast<bool>(std::getline(in_a, line_a));
        const bool more_b = static_cast<bool>(std::getline(in_b, line_b));
        if (!more_a && !more_b) return {};
        if (more_a && more_b && line_a == line_b) continue;
        const auto shown = [&](std::uint64_t seed, bool more, const std::string& line) {
            return fmt::format("  seed {}, line {}: {}\n", seed, number,
                               more ? printable(line) : "(the output has ended)");
        };
        return shown(seed_a, more_a, line_a) + shown(seed_b, more_b, line_b);
    }
}

/// The program under several schedules, with the same input each time. Its output is the first
/// run's; what differs from it in a later one ends the search.
int explore(const fs::path& program, const RunArguments& arguments, const Home& home) {
    const MemoryFile input;
    if (::isatty(STDIN_FILENO) == 0) input.fill_from(STDIN_FILENO);
    Ran first;
    std::string expected;
    for (int k = 0; k < arguments.explore; ++k) {
        const std::uint64_t seed = arguments.seed + static_cast<std::uint64_t>(k);
        const MemoryFile output, errors;
        Ran ran = run_once(program, arguments, home, seed,
                           {.in = input.descriptor(),
                            .out = output.descriptor(),
                            .err = k == 0 ? -1 : errors.descriptor()});
        if (ran.stopped) return exit_code_of(ran.status);
        const std::string text = output.text();
        if (k == 0) {
            print(text);
            expected = text;
            first = std::move(ran);
            continue;
        }
        if (text == expected && ran.status == first.status) continue;
        fmt::print(stderr,
                   "cugrade: nondeterministic: with --seed {} the program does something else than "
                   "with --seed {}\n{}",
                   seed, arguments.seed, first_difference(expected, text, arguments.seed, seed));
        if (ran.status != first.status)
            fmt::print(stderr, "  exit code {} with seed {}, {} with seed {}\n",
                       exit_code_of(first.status), arguments.seed, exit_code_of(ran.status), seed);
        if (ran.state.fault) fmt::print(stderr, "{}", diagnostic(*ran.state.fault));
        (void)report(first, arguments);
        return exit_findings;
    }
    const int code = report(first, arguments);
    fmt::print(stderr, "cugrade: the same output under {} schedules\n", arguments.explore);
    return code;
}

int run(const RunArguments& arguments) {
    if (!arguments.counts.empty()) check(could_write(arguments.counts));
    for (const std::string& file : arguments.files) {
        std::error_code error;
        if (!fs::is_regular_file(file, error))
            throw Failure(Error{.kind = ErrorKind::usage,
                                .message = "no such file",
                                .file = file,
                                .remedy = "give .cu files; arguments of the program follow --"});
    }
    const Home home = value_of(Home::find());
    fs::path program;
    try {
        program = ProgramBuild(arguments, home).run();
    } catch (const CompileFailed&) {
        return exit_usage;
    }

    const Signals signals;
    return arguments.explore > 0 ? explore(program, arguments, home)
                                 : run_and_report(program, arguments, home);
}

/// What follows the first `--` of the command line.
std::vector<std::string>& program_arguments() {
    static std::vector<std::string> words;
    return words;
}

}  // namespace

int keep_program_arguments(int argc, char** argv) {
    if (argc < 2 || std::strcmp(argv[1], "run") != 0) return argc;
    const int end = static_cast<int>(
        std::find_if(argv, argv + argc, [](const char* w) { return std::strcmp(w, "--") == 0; }) -
        argv);
    for (int i = end + 1; i < argc; ++i) program_arguments().emplace_back(argv[i]);
    return end;
}

void add_run(CLI::App& app, int& exit_code) {
    CLI::App* command =
        app.add_subcommand("run", "Compile a CUDA program and run it on the emulated GPU");
    const auto arguments = std::make_shared<RunArguments>();
    command
        ->add_option("files", arguments->files, "Source files, then -- and the program's arguments")
        ->required();
    command->add_option("--backend", arguments->backend, "emulator: there is no other yet")
        ->check(CLI::IsMember({"emulator"}))
        ->capture_default_str();
    command
        ->add_option("--ptx", arguments->ptx_arch,
                     "Compute capability that the emulated GPU presents: 75, 90 or 120")
        ->check(CLI::IsMember(std::vector<int>(emulated_archs.begin(), emulated_archs.end())))
        ->capture_default_str();
    command->add_flag("--rdc", arguments->rdc,
                      "Compile with -rdc=true; several files are by default");
    command
        ->add_option("--nvcc-flag", arguments->nvcc_flags,
                     "Pass this to nvcc, as in --nvcc-flag=-G (may be repeated)")
        ->take_all()
        ->expected(1)
        ->allow_extra_args(false);
    command
        ->add_option("--seed", arguments->seed,
                     "Interleave warps and blocks in another order; 0: one after the other")
        ->capture_default_str();
    add_emulator_threads(*command, arguments->emulator_threads);
    command->add_flag("--check", arguments->check,
                      "Look for races, reads of what nobody has written, and what the host forgot");
    command
        ->add_option("--explore", arguments->explore,
                     "Run it under so many schedules, from --seed on, and compare the output")
        ->check(CLI::Range(2, 100000));
    command->add_option("--counts", arguments->counts,
                        "Write what the kernels did to this file, as JSON: see docs/profile.md");
    auto* budget = command
                       ->add_option("--budget", arguments->budget,
                                    "End a kernel after so many warp instructions; default: never")
                       ->check(CLI::PositiveNumber);
    command->add_flag("--no-budget", arguments->no_budget, "Never end a kernel: the default")
        ->excludes(budget);
    command->footer(
        "The exit code is the program's; 1 if it does not compile, 128 and the signal's number if "
        "a\nsignal ended it; 99 where it would be 0 although --check found errors, or if "
        "--explore\n"
        "found another output.\n"
        "Examples:\n"
        "  cugrade run sort.cu\n"
        "  cugrade run main.cu kernels.cu -- --size 1000\n"
        "  cugrade run nbody.cu --ptx 90 --nvcc-flag=-std=c++20");
    command->callback([arguments, &exit_code] {
        arguments->program = program_arguments();
        exit_code = run(*arguments);
    });
}

}  // namespace cugrade::cli

// `cugrade run`: an ordinary CUDA program, compiled by nvcc and run on the emulated GPU.
//
// Theory of operation. build/program_build.hpp makes the executable and links it with our CUDA
// runtime in place of NVIDIA's. The program inherits a descriptor through which it finds the
// emulator. Everything else is the program's own: terminal, folder, exit code.
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "build/build.hpp"
#include "build/build_cache.hpp"
#include "build/build_messages.hpp"
#include "build/program_build.hpp"
#include "cli/choices.hpp"
#include "cli/command_table.hpp"
#include "cli/commands.hpp"
#include "cli/diagnostic.hpp"
#include "cli/failure.hpp"
#include "cli/files.hpp"
#include "cli/terminal.hpp"
#include "core/printable.hpp"
#include "emulator/client/emulator_process.hpp"
#include "process/process.hpp"
#include "protocol/emulator_protocol.hpp"
#include "protocol/runner_protocol.hpp"

namespace cugrade::cli {
namespace {

namespace fs = std::filesystem;

/// valgrind's users choose this number, too, as few programs end with it. Also the exit code if a
/// kernel has failed and the program has not reported it.
constexpr int exit_findings = 99;

struct RunArguments {
    std::vector<std::string> files;
    std::vector<std::string> program;  ///< the words after --
    std::vector<std::string> nvcc_flags;
    std::string counts;  ///< file for the kernels' counts; empty: nothing is counted
    std::string backend = "emulator";
    int ptx_arch = 75;
    bool rdc = false;
    bool check = false;
    int explore = 0;  ///< schedules to try; 0: only the one of `seed`, with nothing compared
    std::uint64_t seed = 0;
    std::uint64_t budget = 0;
    bool no_budget = false;
    int emulator_threads = 0;  ///< 0: one per processor
};

// -------------------------------------------------------------------------------------------- run

/// Signals from the terminal reach the program by themselves. Signals sent to us alone are passed
/// on. We stay, to report.
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

/// The program's standard streams; by default they are ours.
struct Streams {
    int in = process::as_parent, out = process::as_parent, err = process::as_parent;
};

/// Starts the program with the emulator's descriptor and waits for its end.
process::Ended execute(const fs::path& program, const RunArguments& arguments,
                       process::Descriptor emulator, const Streams& streams) {
    process::Program start{.path = program.string(),
                           // $0 matters to usage texts only, so it is the source's name.
                           .arguments = {"./" + fs::path(arguments.files.front()).stem().string()},
                           .environment = process::own_environment(),
                           .input = streams.in,
                           .output = streams.out,
                           .errors = streams.err,
                           .descriptors = {{emulator.get(), emulator.get()}},
                           .inherits_descriptors = true};
    start.arguments.insert(start.arguments.end(), arguments.program.begin(),
                           arguments.program.end());
    start.environment.push_back(
        fmt::format("{}={}", protocol::emulator_fd_variable, emulator.get()));
    process::Failure why;
    auto child = process::start(start, why);
    if (!child)
        throw Failure(Error{.message = "the program cannot be started: " + why.text(),
                            .file = program.string()});
    emulator.close();
    Signals::program = child->pid();
    const process::Ended how = child->wait();
    Signals::program = 0;
    return how;
}

int exit_code_of(const process::Ended& how) {
    return how.signal != 0 ? 128 + how.signal : how.exit_code;
}

/// Prints all findings. True if at least one is an error.
bool print_findings(const emulator::FindingList& list, const process::Ended& how) {
    using emulator::FindingKind;
    int errors = 0, warnings = 0;
    for (const emulator::Finding& finding : list.all) {
        // A program that stops early leaves its memory to the system.
        if (finding.kind == FindingKind::never_freed && !how.succeeded()) continue;
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

/// The result of one run of the program.
struct Ran {
    process::Ended how;
    bool stopped = false;  ///< by a signal from outside
    bool is_known = true;  ///< what the emulated GPU has seen
    emulator::EmulatorProcess::State state;
    emulator::FindingList findings;
    std::string counts;
};

/// After a program was stopped: for the end of a kernel, and for what is known.
constexpr double patience_s = 1, answer_s = 60;

/// For each kernel under --check. Chosen: some half an hour, longer than anybody waits.
constexpr std::uint64_t checked_budget = 10'000'000'000;

Ran run_once(const fs::path& program, const RunArguments& arguments, const Home& home,
             std::uint64_t seed, const Streams& streams) {
    emulator::EmulatorOptions options;
    options.libexec = home.libexec;
    options.machine.arch = arguments.ptx_arch;
    options.machine.host_threads = static_cast<std::uint32_t>(arguments.emulator_threads);
    options.warp_instruction_budget = arguments.no_budget     ? 0
                                      : arguments.budget != 0 ? arguments.budget
                                      : arguments.check       ? checked_budget
                                                              : 0;
    const auto device = value_of(emulator::EmulatorProcess::start(options));
    check(device->set_seed(seed));
    using namespace emulator::protocol;
    std::uint64_t observed = observe_nothing;
    if (!arguments.counts.empty()) observed |= observe_counters;
    if (arguments.check) observed |= observe_checkers;
    check(device->observe(observed));

    Ran ran;
    process::Descriptor connection(value_of(device->connect_runner()));
    ran.how = execute(program, arguments, std::move(connection), streams);
    std::fflush(stderr);
    const int signal = ran.how.signal;
    ran.stopped = signal == SIGINT || signal == SIGTERM || signal == SIGKILL || signal == SIGQUIT ||
                  signal == SIGHUP;
    if (ran.stopped) {
        // In the middle of a kernel, it may be, whose end nobody wants to wait for.
        device->answer_within(patience_s);
        auto state = device->state();
        ran.is_known = static_cast<bool>(state);
        if (!state) return ran;
        ran.state = *std::move(state);
        device->answer_within(answer_s);  // nothing runs
    }
    if (!arguments.counts.empty()) ran.counts = value_of(device->observations(observe_counters));
    if (arguments.check)
        ran.findings = value_of(
            emulator::findings_from_json(value_of(device->observations(observe_checkers))));
    if (!ran.stopped) ran.state = value_of(device->state());
    return ran;
}

/// Reports a run on standard error. Returns the exit code.
int report(const Ran& ran, const RunArguments& arguments) {
    if (ran.stopped && !ran.is_known) {
        if (arguments.check)
            fmt::print(stderr,
                       "cugrade: stopped in the middle of a kernel: what the checkers have seen is "
                       "not known\n");
        return exit_code_of(ran.how);
    }
    if (ran.how.signal != 0)
        fmt::print(stderr, "cugrade: the program was ended by signal {} ({})\n", ran.how.signal,
                   strsignal(ran.how.signal));
    if (!arguments.counts.empty()) check(write_atomically(arguments.counts, ran.counts + "\n"));
    using emulator::FaultKind;
    const bool lacking = ran.state.fault && ran.state.fault->kind == FaultKind::unsupported;
    if (arguments.check && !lacking) {
        const bool wrong = print_findings(ran.findings, ran.how);
        return ran.how.succeeded() && wrong ? exit_findings : exit_code_of(ran.how);
    }
    if (ran.state.fault)
        fmt::print(stderr, "{}", diagnostic(*ran.state.fault));
    else if (!ran.state.first_api_error.empty())
        fmt::print(stderr, "cugrade: warning: the first CUDA call that failed: {}\n",
                   ran.state.first_api_error);
    if (lacking) return exit_harness;
    return ran.how.succeeded() && ran.state.fault ? exit_findings : exit_code_of(ran.how);
}

int run_and_report(const fs::path& program, const RunArguments& arguments, const Home& home) {
    return report(run_once(program, arguments, home, arguments.seed, {}), arguments);
}

// --------------------------------------------------------------------------------------- explore

/// A file in memory that a program reads from or writes to.
class MemoryFile {
public:
    MemoryFile() : file_(process::memory_file("cugrade-run")) {
        if (!file_.is_open())
            throw Failure(Error{
                .message = fmt::format("no file in memory can be made: {}", std::strerror(errno))});
    }
    /// Returns the descriptor, set to the beginning of the file.
    [[nodiscard]] int descriptor() const {
        ::lseek(file_.get(), 0, SEEK_SET);
        return file_.get();
    }
    void fill_from(int descriptor) const {
        std::array<char, 65536> piece;
        for (ssize_t n = 0; (n = ::read(descriptor, piece.data(), piece.size())) > 0;)
            if (::write(file_.get(), piece.data(), static_cast<std::size_t>(n)) != n)
                throw Failure(Error{.message = "standard input cannot be kept in memory"});
    }
    [[nodiscard]] std::string text() const { return process::text_of(file_); }

private:
    process::Descriptor file_;
};

/// The first differing line of two texts, from each text.
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

/// Runs the program under several schedules, with the same input each time. Prints the first run's
/// output. The search ends at the first run that differs from it.
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
        if (ran.stopped) return exit_code_of(ran.how);
        const std::string text = output.text();
        if (k == 0) {
            print(text);
            expected = text;
            first = std::move(ran);
            continue;
        }
        if (text == expected && ran.how == first.how) continue;
        fmt::print(stderr,
                   "cugrade: nondeterministic: with --seed {} the program does something else than "
                   "with --seed {}\n{}",
                   seed, arguments.seed, first_difference(expected, text, arguments.seed, seed));
        if (ran.how != first.how)
            fmt::print(stderr, "  exit code {} with seed {}, {} with seed {}\n",
                       exit_code_of(first.how), arguments.seed, exit_code_of(ran.how), seed);
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
    const Toolchain toolchain = value_of(Toolchain::find());
    const Program program = value_of(build_program(home, toolchain,
                                                   {.files = arguments.files,
                                                    .nvcc_flags = arguments.nvcc_flags,
                                                    .ptx_arch = arguments.ptx_arch,
                                                    .separate = arguments.rdc}));
    fmt::print(stderr, "{}", program.said);
    if (!program.executable) return exit_usage;

    const Signals signals;
    return arguments.explore > 0 ? explore(*program.executable, arguments, home)
                                 : run_and_report(*program.executable, arguments, home);
}

/// The words after the first `--` of the command line.
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
        ->add_option("files", arguments->files,
                     "Sources, objects and libraries, then -- and the program's arguments")
        ->required()
        ->type_name(takes::file);
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
    command
        ->add_option("--counts", arguments->counts,
                     "Write what the kernels did to this file, as JSON: see docs/profile.md")
        ->type_name(takes::file);
    auto* budget =
        command
            ->add_option("--budget", arguments->budget,
                         "End a kernel after so many warp instructions; default: never, with "
                         "--check after 10,000,000,000")
            ->check(CLI::PositiveNumber);
    command->add_flag("--no-budget", arguments->no_budget, "Never end a kernel")->excludes(budget);
    command->footer(
        "The exit code is the program's; 1 if it does not compile, 2 if the emulated GPU lacks "
        "what\nit uses, 128 and the signal's number if a signal ended it; 99 where it would be 0 "
        "although a\nkernel failed or --check found errors, or if --explore found another "
        "output.\n"
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

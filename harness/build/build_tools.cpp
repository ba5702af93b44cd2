#include "build/build_tools.hpp"

#include <fcntl.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <utility>

#include <fmt/format.h>

#include "build/compiler_view.hpp"
#include "build/nvcc.hpp"
#include "core/files.hpp"

namespace cugrade {
namespace {

namespace fs = std::filesystem;

/// nvcc itself needs this much, however tight the policy is for the submission's own processes.
constexpr std::uint64_t compiler_memory_bytes = std::uint64_t{4} << 30;
constexpr std::uint64_t compiler_file_bytes = std::uint64_t{256} << 20;
constexpr std::uint64_t compiler_output_bytes = 1 << 20;
constexpr int compiler_processes = 64;
/// Of tools that take as long as one may, so many run in one build: a compiler and a linker. That
/// bounds a submission of 500 files, too; longest_grading_s() counts on it.
constexpr double tools_at_length = 2;
constexpr double least_s = 0.001;  // 0 would be no limit
/// The tool may have been made to leave something else there than a file.
Status fetch_from(int folder, const std::string& name, const fs::path& to) {
    const process::Descriptor file(
        ::openat(folder, name.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
    struct stat info {};
    if (!file.is_open() || ::fstat(file.get(), &info) != 0 || !S_ISREG(info.st_mode))
        return Error{.message = fmt::format("the compiler has not made {}", name),
                     .remedy = "run `cugrade doctor`"};
    const process::Descriptor copy(
        ::open(to.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
    off_t at = 0;
    while (copy.is_open() && at < info.st_size)
        if (::sendfile(copy.get(), file.get(), &at, static_cast<std::size_t>(info.st_size - at)) <=
            0)
            break;
    // The submission's own user executes it, whatever the umask.
    if (!copy.is_open() || at < info.st_size || ::fchmod(copy.get(), 0755) != 0)
        return cannot("write", to, errno);
    return Done{};
}

}  // namespace

BuildTools::BuildTools(const BuildCommands& commands, const WorkFolder& work)
    : commands_(commands), work_(work) {
    // nvcc prints the real path of its working directory; the host compiler prints the name that it
    // was given.
    std::error_code error;
    for (const fs::path& base : {work.path(), fs::canonical(work.path(), error)}) {
        names_.emplace_back((base / work.source().filename() / "").string(), "");
        names_.emplace_back((base / "").string(), "");
    }
    for (const char* folder : {"src/", ""})
        names_.emplace_back(fmt::format("{}/{}", enclosed_work_folder, folder), "");
    names_.emplace_back((commands.request.assignment->folder / "").string(), "");
    names_.emplace_back((commands.home.lib / "").string(), "");
    // Where CUDA is installed tells a student nothing, and would make reports differ by machine.
    if (const std::string& headers = commands.toolchain.headers; !headers.empty())
        names_.emplace_back(headers + '/', "");
}

Status BuildTools::enclose() {
    if (commands_.request.keeper == nullptr) return Done{};
    auto enclosure = commands_.request.keeper->enclose(compiler_view(commands_));
    if (!enclosure) return enclosure.error();
    enclosure_ = *std::move(enclosure);
    std::error_code error;
    for (const auto& entry : fs::recursive_directory_iterator(work_.source(), error))
        if (entry.is_regular_file(error))
            if (auto there = put(entry.path()); !there) return there;
    return Done{};
}

Status BuildTools::put(const fs::path& file) {
    if (!enclosure_) return Done{};
    return enclosure_->put(file, file.lexically_relative(work_.path()));
}

Status BuildTools::make_folder(const fs::path& name) {
    return enclosure_ ? enclosure_->make_folder(name) : Status(Done{});
}

Result<sandbox::Outcome> BuildTools::run(std::vector<std::string> argv, In where) {
    const fs::path work = enclosure_ ? fs::path(enclosed_work_folder) : work_.path();
    const fs::path temporary = enclosure_ ? work : work_.temporary();
    sandbox::Command command{
        .argv = std::move(argv),
        .directory = where == In::source ? work / work_.source().filename() : work};
    command.environment = {
        {"PATH", commands_.toolchain.nvcc.parent_path().string() + ":" + search_path()},
        {"HOME", temporary.string()},
        {"TMPDIR", temporary.string()},
        {"LC_ALL", "C"},
        {heap_variable, heap_of_compilers}};
    // Compilers from environment modules find their own libraries by this variable.
    if (const char* libraries = std::getenv("LD_LIBRARY_PATH"))
        command.environment["LD_LIBRARY_PATH"] = libraries;
    auto outcome = run_command(command);
    if (!outcome) return outcome;
    outcome->output = tidy(outcome->output, names_);
    if (outcome->end == sandbox::End::not_started || outcome->end == sandbox::End::killed)
        return Error{.message = outcome->end == sandbox::End::killed
                                    ? "the compiler was killed from outside"
                                    : outcome->message,
                     .remedy = "run `cugrade doctor`"};
    return outcome;
}

Result<sandbox::Outcome> BuildTools::run_command(const sandbox::Command& command) {
    const Limits& limits = commands_.request.limits;
    const double left_s = std::max(tools_at_length * limits.compile_wall_s - spent_s_, least_s);
    const double most_s = std::min(limits.compile_wall_s, left_s);
    const sandbox::Limits of_tool{
        .wall_s = most_s,
        .cpu_s = most_s,
        .memory_bytes = std::max(limits.memory_bytes, compiler_memory_bytes),
        .processes = std::max(limits.processes, compiler_processes),
        .file_bytes = std::max(limits.file_bytes, compiler_file_bytes),
        .output_bytes = compiler_output_bytes};
    const auto outcome = [&]() -> Result<sandbox::Outcome> {
        auto process =
            enclosure_ ? enclosure_->start(command, of_tool)
                       : sandbox::start(commands_.home.libexec / "supervisor", command, of_tool);
        if (!process) return process.error();
        if (commands_.request.meanwhile) commands_.request.meanwhile();
        return (*process)->wait();
    }();
    if (outcome) spent_s_ += outcome->wall_s;
    return outcome;
}

/// Which limit of time a tool met, at whose end it was stopped.
std::string BuildTools::time_limit() const {
    const double wall_s = commands_.request.limits.compile_wall_s;
    if (spent_s_ < tools_at_length * wall_s) return fmt::format("was stopped after {:g} s", wall_s);
    return fmt::format("was stopped, because all compilations of the submission have {:g} s",
                       tools_at_length * wall_s);
}

Status BuildTools::fetch(const std::string& name) {
    if (!enclosure_) return Done{};
    return fetch_from(enclosure_->folder().get(), name, work_.path() / name);
}

Status BuildTools::fetch_folder(const fs::path& folder) {
    if (!enclosure_) return Done{};
    const process::Descriptor opened(::openat(enclosure_->folder().get(), folder.filename().c_str(),
                                              O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_DIRECTORY));
    if (!opened.is_open()) return Done{};
    std::error_code error;
    const fs::path listed = fmt::format("/proc/self/fd/{}", opened.get());
    for (const auto& entry : fs::directory_iterator(listed, error)) {
        const std::string name = entry.path().filename();
        if (auto fetched = fetch_from(opened.get(), name, folder / name); !fetched) return fetched;
    }
    return Done{};
}

/// Whether the private folder of the enclosure is full.
bool BuildTools::folder_is_full() const {
    struct statvfs info {};
    return enclosure_ && ::fstatvfs(enclosure_->folder().get(), &info) == 0 &&
           info.f_bavail * info.f_frsize < (1U << 20);
}

std::optional<Error> BuildTools::ended_from_outside(const sandbox::Outcome& outcome) {
    // A shell between nvcc and its programs adds 128.
    constexpr int by_shell = 128;
    constexpr std::array from_outside{SIGHUP, SIGINT, SIGQUIT, SIGKILL, SIGTERM};
    const auto is_from_outside = [&](int signal) {
        return std::ranges::find(from_outside, signal) != from_outside.end();
    };
    const bool is_ended =
        outcome.end == sandbox::End::signalled ? is_from_outside(outcome.signal)
        : outcome.end == sandbox::End::exited
            ? is_from_outside(outcome.exit_code - by_shell) ||
                  (outcome.exit_code != 0 && tells_of_ended_program(outcome.output))
            : false;
    if (!is_ended) return {};
    return Error{.message = "a program of the compiler was ended by a signal from outside",
                 .remedy =
                     "grade again; if it comes again, look whether the machine has too little "
                     "memory for its compilers"};
}

std::optional<BuildFailure> BuildTools::stopped(const sandbox::Outcome& outcome,
                                                std::string_view tool, std::string_view what) {
    const auto failure = [&](Verdict verdict, std::string_view why, std::string_view hint) {
        may_differ_ = true;
        return BuildFailure{verdict, fmt::format("{}: {} {}; {}", what, tool, why, hint),
                            outcome.output};
    };
    switch (outcome.end) {
        case sandbox::End::wall_limit:
        case sandbox::End::cpu_limit:
            return failure(Verdict::time_limit, time_limit(),
                           "look for templates or constant expressions that never end");
        case sandbox::End::memory_limit:
            return failure(Verdict::memory_limit,
                           fmt::format("was stopped at {} MiB", outcome.peak_memory_bytes >> 20),
                           "look for templates, arrays or includes that are too large");
        case sandbox::End::file_limit:
            return failure(Verdict::output_limit, "wrote a file that is too large, or too many",
                           "look for arrays or includes that are too large");
        case sandbox::End::process_limit:
            return failure(Verdict::compile_error, "started too many processes",
                           "look at what is included");
        case sandbox::End::signalled:
            return failure(Verdict::compile_error,
                           fmt::format("crashed with signal {}", outcome.signal),
                           "change the part that you added last");
        case sandbox::End::exited:
            if (outcome.exit_code != 0 && folder_is_full())
                return failure(Verdict::output_limit, "wrote more files than it may",
                               "look for arrays or templates that are too large");
            return std::nullopt;
        default: return std::nullopt;  // output_limit: the first error is in what was read
    }
}

}  // namespace cugrade

// From submission to runner executable. Theory of operation:
//
// The submission is copied into a fresh folder that no other build sees, and compiled there with
// file names relative to it, each .cu file by itself, by nvcc in the sandbox. For the emulated GPU
// the object carries PTX alone; for a GPU machine code, and the PTX beside it so that the check for
// forbidden instructions reads the same thing on both. The objects are linked with the runner's
// main, the assignment's table of functions and a CUDA runtime: ours, or NVIDIA's.
//
// The runner is linked whole, so that a `main` of the student's collides with ours and is named
// instead of silently replacing it. A function of the assignment that is missing is a weak
// reference and no error here; anything else that is missing is.
//
// Kernels that launch kernels need -rdc=true, with which nvcc compiles device code differently and
// in one more step. Where the assignment has a task about them, a submission is compiled again with
// it if nvcc asks for it; what others are compiled with, and how long that takes, stays the same.
//
// The outcome goes into a cache, failures too, unless a limit or the machine decided it. The key is
// everything that the outcome depends on.
#include "grader/build.hpp"

#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <set>

#include <fmt/format.h>

#include "core/clock.hpp"
#include "core/files.hpp"
#include "core/shell.hpp"
#include "datasets/seeds.hpp"
#include "emulator/ptx/fatbin.hpp"
#include "emulator/ptx/parser.hpp"
#include "grader/build_cache.hpp"
#include "grader/build_messages.hpp"
#include "grader/build_submission.hpp"
#include "sandbox/sandbox.hpp"

namespace cugrade {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view work_prefix = "cugrade-build-";
constexpr std::string_view source_folder = "src";
constexpr const char* device_object = "device-link.o";
/// What nvcc says where a kernel launches one and -rdc=true is not given.
constexpr std::string_view needs_separate = "requires separate compilation mode";
/// What nvcc itself needs, however tight the policy is for the submission's own processes.
constexpr std::uint64_t compiler_memory_bytes = std::uint64_t{4} << 30;
constexpr std::uint64_t compiler_file_bytes = std::uint64_t{256} << 20;
constexpr std::uint64_t compiler_output_bytes = 1 << 20;
constexpr int compiler_processes = 64;

std::string environment_or(const char* name, std::string fallback) {
    const char* value = std::getenv(name);
    return value != nullptr && *value != '\0' ? value : std::move(fallback);
}

std::string search_path() { return environment_or("PATH", "/usr/local/bin:/usr/bin:/bin"); }

/// A temporary folder with `src` and `tmp` in it, gone with this object.
class WorkFolder {
public:
    static Result<WorkFolder> make() {
        auto folder = TemporaryFolder::make(work_prefix);
        if (!folder) return folder.error();
        WorkFolder work(*std::move(folder));
        std::error_code ignored;
        for (const fs::path& part : {work.source(), work.temporary()})
            fs::create_directory(part, ignored);
        return work;
    }
    [[nodiscard]] const fs::path& path() const { return folder_.path(); }
    [[nodiscard]] fs::path source() const { return path() / source_folder; }
    [[nodiscard]] fs::path temporary() const { return path() / "tmp"; }
    /// On its disk, right now.
    [[nodiscard]] bool is_full() const {
        struct statvfs info {};
        return ::statvfs(path().c_str(), &info) == 0 && info.f_bavail * info.f_frsize < (16U << 20);
    }

private:
    explicit WorkFolder(TemporaryFolder folder) : folder_(std::move(folder)) {}
    TemporaryFolder folder_;
};

/// A name that nvcc and its shell take as it is: "my file (2).cu" becomes "my_file__2_.cu".
std::string plain_name(std::string_view name) {
    std::string out(name);
    for (char& c : out) {
        const bool plain = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') ||
                           (c >= 'a' && c <= 'z') || c == '.' || c == '_' || c == '-' || c == '+';
        if (!plain) c = '_';
    }
    if (out.starts_with('-')) out[0] = '_';
    return out;
}

struct Unit {
    std::string source;  ///< name in the source folder
    std::string object;  ///< name in the work folder
};

Result<std::vector<Unit>> write_sources(const Submission& submission, const WorkFolder& work) {
    const auto write = [&work](const std::string& name, const std::string& text) {
        const fs::path path = work.source() / name;
        std::error_code error;
        fs::create_directories(path.parent_path(), error);
        std::ofstream out(path, std::ios::binary);
        out << text;
        out.close();
        return !out.fail();
    };
    const auto full = [&work] {
        return Error{
            .message = fmt::format("the submission cannot be copied: {}", std::strerror(errno)),
            .file = work.path().string(),
            .remedy = "make room there, or set TMPDIR"};
    };
    for (const SourceFile& file : submission.files)
        if (!write(file.name, file.text)) return full();
    std::vector<Unit> units;
    std::set<std::string> taken;
    for (const std::string& name : submission.units) {
        std::string plain = plain_name(name);
        for (int n = 2; !taken.insert(plain).second; ++n)
            plain = fmt::format("{}_{}", n, plain_name(name));
        if (plain != name) {
            std::error_code error;
            fs::copy_file(work.source() / name, work.source() / plain, error);
            if (error) return full();
        }
        units.push_back({plain, fs::path(plain).stem().string() + ".o"});
    }
    return units;
}

/// Compiler and linker commands of one build; all that they depend on goes into the cache's key.
struct Commands {
    const Home& home;
    const Toolchain& toolchain;
    const BuildRequest& request;
    /// With -rdc=true, which kernels that launch kernels need.
    bool separate = false;

    /// A submission to such an assignment may have kernels that launch kernels.
    [[nodiscard]] bool may_be_separate() const {
        return std::ranges::any_of(request.assignment->tasks, &TaskSpec::dynamic_parallelism);
    }
    [[nodiscard]] std::vector<std::string> compile_flags() const {
        std::vector<std::string> flags{"-std=c++17", "-O2", "-lineinfo", "-Xcompiler", "-g1"};
        if (separate) flags.emplace_back("-rdc=true");
        if (!on_gpu()) {
            flags.insert(flags.end(), {"-cudart", "none", "--threads",
                                       std::to_string(request.target.archs.size())});
            for (const int arch : request.target.archs)
                flags.insert(flags.end(),
                             {"-gencode", fmt::format("arch=compute_{0},code=compute_{0}", arch)});
        } else {
            flags.insert(flags.end(),
                         {"-gencode", fmt::format("arch=compute_{0},code=[sm_{0},compute_{0}]",
                                                  request.target.archs.front())});
        }
        flags.insert(flags.end(), {"-ccbin", toolchain.host_compiler.string(), "-I",
                                   request.assignment->folder.string()});
        return flags;
    }
    [[nodiscard]] std::vector<std::string> compile(const Unit& unit) const {
        std::vector<std::string> argv{toolchain.nvcc.string()};
        for (std::string& flag : compile_flags()) argv.push_back(std::move(flag));
        argv.insert(argv.end(), {"-c", unit.source, "-o", "../" + unit.object});
        return argv;
    }
    [[nodiscard]] fs::path runner_library() const { return home.lib / "libcugrade_runner.a"; }
    [[nodiscard]] fs::path tasks_library() const {
        return home.lib / fmt::format("libtasks_{}.a", request.assignment->id);
    }
    [[nodiscard]] bool on_gpu() const {
        return request.target.backend == BuildTarget::Backend::gpu;
    }
    [[nodiscard]] fs::path cuda_library() const {
        return on_gpu() ? toolchain.cudart_static : home.lib / "libcugrade_cudart.a";
    }
    [[nodiscard]] fs::path device_library() const {
        return toolchain.cudart_static.parent_path() / "libcudadevrt.a";
    }
    [[nodiscard]] std::vector<std::string> link_device(const std::vector<Unit>& units) const {
        std::vector<std::string> objects;
        for (const Unit& unit : units) objects.push_back(unit.object);
        return device_link(toolchain, request.target, objects, device_object);
    }
    [[nodiscard]] std::vector<std::string> link(const std::vector<Unit>& units) const {
        // The runner comes first, so that of two mains the linker names the student's as one too
        // many.
        std::vector<std::string> argv{toolchain.host_compiler.string(),
                                      "-o",
                                      "runner",
                                      "-Wl,--whole-archive",
                                      runner_library().string(),
                                      "-Wl,--no-whole-archive"};
        for (const Unit& unit : units) argv.push_back(unit.object);
        if (separate) {
            argv.emplace_back(device_object);
            if (on_gpu()) argv.push_back(device_library().string());
        }
        if (on_gpu()) argv.emplace_back("-Wl,--wrap=cudaDeviceReset");  // runner/main.cpp says why
        argv.insert(argv.end(), {tasks_library().string(), cuda_library().string(), "-ldl", "-lrt",
                                 "-lpthread"});
        return argv;
    }

    [[nodiscard]] std::string key(const Submission& submission) const {
        std::string text = "cugrade build key 1\n";
        const auto add = [&text](std::string_view label, std::string_view value) {
            text += fmt::format("{} {}\n{}\n", label, value.size(), value);
        };
        add("version", CUGRADE_VERSION);
        add("nvcc", toolchain.nvcc.string() + " " + toolchain.nvcc_version);
        std::error_code error;
        add("host compiler",
            fmt::format(
                "{} {} {}", toolchain.host_compiler.string(),
                fs::file_size(toolchain.host_compiler, error),
                fs::last_write_time(toolchain.host_compiler, error).time_since_epoch().count()));
        for (const std::string& flag : compile_flags()) add("flag", flag);
        for (const std::string& word : link({})) add("link", word);
        if (may_be_separate()) add("dynamic parallelism", "allowed");
        // What cannot be read fails to build, too, and says so there.
        const auto add_file = [&add](std::string_view label, const fs::path& file) {
            const auto content = read_file(file);
            add(label, content ? datasets::sha256(*content) : std::string());
        };
        for (const fs::path& library : {runner_library(), tasks_library(), cuda_library()})
            add_file("library", library);
        std::vector<fs::path> interface;
        for (const auto& entry : fs::directory_iterator(request.assignment->folder, error))
            if (const auto extension = entry.path().extension();
                extension == ".cuh" || extension == ".h")
                interface.push_back(entry.path());
        std::ranges::sort(interface);
        for (const fs::path& file : interface) {
            add("interface", file.filename().string());
            add_file("text", file);
        }
        for (const ForbiddenInstruction& rule : request.assignment->forbidden) {
            add("forbidden", rule.opcode);
            for (const std::string& modifier : rule.modifiers) add("modifier", modifier);
            add("message", rule.message);
        }
        for (const std::string& unit : submission.units) add("unit", unit);
        for (const SourceFile& file : submission.files) {
            add("file", file.name);
            add("text", file.text);
        }
        return datasets::sha256(text);
    }
};

/// One try to build: a failure is the student's, an Error ours.
class Builder {
public:
    Builder(const Home& home, const Toolchain& toolchain, const BuildRequest& request,
            const WorkFolder& work)
        : commands_{home, toolchain, request}, work_(work) {
        // nvcc leaves the real path of its working directory in its output, the host compiler the
        // name that it was given.
        std::error_code error;
        for (const fs::path& base : {work.path(), fs::canonical(work.path(), error)}) {
            names_.emplace_back((base / source_folder / "").string(), "");
            names_.emplace_back((base / "").string(), "");
        }
        names_.emplace_back((request.assignment->folder / "").string(), "");
        names_.emplace_back((home.lib / "").string(), "");
    }

    Result<BuildOutcome> run(std::vector<Unit> units) {
        BuildOutcome outcome;
        Build build;
        const auto compiling = Clock::now();
        auto compiled = compile_all(units, build.compiler_output);
        if (!compiled) return compiled.error();
        if (*compiled && !commands_.separate &&
            (*compiled)->compiler_output.find(needs_separate) != std::string::npos) {
            if (!commands_.may_be_separate()) {
                (*compiled)->message +=
                    "; launch it from the host: no task of this assignment is "
                    "about kernels that launch kernels";
            } else {
                commands_.separate = true;
                build.compiler_output.clear();
                compiled = compile_all(units, build.compiler_output);
                if (!compiled) return compiled.error();
            }
        }
        outcome.failure = std::move(*compiled);
        if (outcome.failure) return outcome;
        build.compile_s = seconds_since(compiling);
        const auto linking = Clock::now();
        auto linked = link(units);
        if (!linked) return linked.error();
        outcome.failure = std::move(*linked);
        if (outcome.failure) {
            outcome.failure->compiler_output =
                build.compiler_output + outcome.failure->compiler_output;
            return outcome;
        }
        build.link_s = seconds_since(linking);
        build.executable = work_.path() / "runner";
        outcome.build = std::move(build);
        return outcome;
    }

    /// A limit or the machine decided, so another try may end otherwise.
    [[nodiscard]] bool may_differ() const { return may_differ_; }

private:
    using MaybeFailure = std::optional<BuildFailure>;

    Result<sandbox::Outcome> run_tool(std::vector<std::string> argv, const fs::path& directory) {
        const Limits& limits = commands_.request.limits;
        sandbox::Command command{.argv = std::move(argv), .directory = directory};
        command.environment = {
            {"PATH", commands_.toolchain.nvcc.parent_path().string() + ":" + search_path()},
            {"HOME", work_.temporary().string()},
            {"TMPDIR", work_.temporary().string()},
            {"LC_ALL", "C"}};
        // Where compilers come from environment modules their own libraries are found by this.
        if (const char* libraries = std::getenv("LD_LIBRARY_PATH"))
            command.environment["LD_LIBRARY_PATH"] = libraries;
        auto outcome =
            sandbox::run(commands_.home.libexec / "supervisor", command,
                         {.wall_s = limits.compile_wall_s,
                          .cpu_s = limits.compile_wall_s,
                          .memory_bytes = std::max(limits.memory_bytes, compiler_memory_bytes),
                          .processes = std::max(limits.processes, compiler_processes),
                          .file_bytes = std::max(limits.file_bytes, compiler_file_bytes),
                          .output_bytes = compiler_output_bytes});
        if (!outcome) return outcome;
        outcome->output = tidy(outcome->output, names_);
        if (outcome->end == sandbox::End::not_started || outcome->end == sandbox::End::killed)
            return Error{.message = outcome->end == sandbox::End::killed
                                        ? "the compiler was killed from outside"
                                        : outcome->message,
                         .remedy = "run `cugrade doctor`"};
        return outcome;
    }

    /// For a tool that did not come to its own end.
    MaybeFailure stopped(const sandbox::Outcome& outcome, std::string_view tool,
                         std::string_view what) {
        const auto failure = [&](Verdict verdict, std::string_view why, std::string_view hint) {
            may_differ_ = true;
            return BuildFailure{verdict, fmt::format("{}: {} {}; {}", what, tool, why, hint),
                                outcome.output};
        };
        const double wall_s = commands_.request.limits.compile_wall_s;
        switch (outcome.end) {
            case sandbox::End::wall_limit:
            case sandbox::End::cpu_limit:
                return failure(Verdict::time_limit, fmt::format("was stopped after {:g} s", wall_s),
                               "look for templates or constant expressions that never end");
            case sandbox::End::memory_limit:
                return failure(
                    Verdict::memory_limit,
                    fmt::format("was stopped at {} MiB", outcome.peak_memory_bytes >> 20),
                    "look for templates, arrays or includes that are too large");
            case sandbox::End::file_limit:
                return failure(Verdict::output_limit, "wrote a file that is too large",
                               "look for arrays or includes that are too large");
            case sandbox::End::process_limit:
                return failure(Verdict::compile_error, "started too many processes",
                               "look at what is included");
            case sandbox::End::signalled:
                return failure(Verdict::compile_error,
                               fmt::format("crashed with signal {}", outcome.signal),
                               "change the part that you added last");
            default: return std::nullopt;  // output_limit: the first error is in what was read
        }
    }

    Result<MaybeFailure> compile_all(const std::vector<Unit>& units, std::string& warnings) {
        for (const Unit& unit : units) {
            auto failure = compile(unit, warnings);
            if (!failure || *failure) return failure;
            failure = check_forbidden(unit);
            if (!failure || *failure) return failure;
        }
        return MaybeFailure();
    }

    Result<MaybeFailure> compile(const Unit& unit, std::string& warnings) {
        auto outcome = run_tool(commands_.compile(unit), work_.source());
        if (!outcome) return outcome.error();
        if (outcome->end == sandbox::End::exited && outcome->exit_code == 0) {
            warnings += outcome->output;
            return MaybeFailure();
        }
        if (MaybeFailure failure = stopped(*outcome, "the compiler", unit.source)) return failure;
        // These are about the installation: no source file makes nvcc say them.
        if (const std::size_t at = outcome->output.find("nvcc fatal");
            at == 0 || (at != std::string::npos && outcome->output[at - 1] == '\n'))
            return Error{.message = "nvcc cannot compile here: " +
                                    outcome->output.substr(at, outcome->output.find('\n', at) - at),
                         .remedy = "run `cugrade doctor`; $NVCC_CCBIN names another host compiler"};
        if (auto ours = not_the_students(unit)) return *ours;
        std::string message = first_compile_error(outcome->output);
        if (message.empty())
            message = fmt::format("{}: the compiler failed with exit code {}", unit.source,
                                  outcome->exit_code);
        else if (message.find(unit.source) == std::string::npos)
            message = fmt::format("{}: {}", unit.source, message);
        return MaybeFailure(
            BuildFailure{Verdict::compile_error, message + include_hint(message), outcome->output});
    }

    /// A header beside student.cu is not part of a submission that is one file.
    [[nodiscard]] std::string include_hint(const std::string& message) const {
        if (message.find("No such file or directory") == std::string::npos) return "";
        const fs::path& source = commands_.request.source;
        std::error_code error;
        if (fs::is_directory(source, error)) return "";
        for (const auto& entry :
             fs::directory_iterator(source.has_parent_path() ? source.parent_path() : ".", error))
            if (message.find(": " + entry.path().filename().string() + ":") != std::string::npos)
                return " (only this one file is graded: hand in the folder to have the header with "
                       "it)";
        return "";
    }

    /// A tool failed because of the place that it worked in.
    [[nodiscard]] std::optional<Error> not_the_students(const Unit& unit) const {
        std::error_code error;
        if (work_.is_full())
            return Error{.message = "the disk for temporary files is full",
                         .file = work_.path().parent_path().string(),
                         .remedy = "make room there, or set TMPDIR"};
        if (!fs::exists(work_.source() / unit.source, error) ||
            !fs::exists(work_.temporary(), error))
            return Error{.message = "temporary files were removed during the build",
                         .file = work_.path().string(),
                         .remedy = "grade again; see what cleans that folder, or set TMPDIR"};
        return std::nullopt;
    }

    Result<MaybeFailure> check_forbidden(const Unit& unit) {
        const auto& rules = commands_.request.assignment->forbidden;
        if (rules.empty()) return MaybeFailure();
        auto images = ptx::read_object(work_.path() / unit.object);
        if (!images) return images.error();
        for (ptx::FatbinPtx& image : *images) {
            auto module = ptx::parse(std::move(image.text), unit.source + " (PTX)");
            if (!module) return module.error();
            for (const ptx::Function& function : (*module)->functions)
                for (const ptx::Instruction& instruction : function.instructions)
                    for (const ForbiddenInstruction& rule : rules)
                        if (instruction.opcode == rule.opcode &&
                            std::ranges::all_of(rule.modifiers,
                                                [&](const auto& m) { return instruction.has(m); }))
                            return MaybeFailure(
                                BuildFailure{Verdict::forbidden,
                                             place(**module, instruction, unit) + rule.message,
                                             {}});
        }
        return MaybeFailure();
    }

    /// "student.cu:12: `atom.add.f64` is ruled out: ". The outermost place is the student's even
    /// where the instruction comes from an inlined function of CUDA's headers.
    static std::string place(const ptx::Module& module, const ptx::Instruction& instruction,
                             const Unit& unit) {
        const ptx::SourceLine& line =
            instruction.inlined_at.file >= 0 ? instruction.inlined_at : instruction.source;
        std::string out = unit.source;
        if (line.file >= 0 && static_cast<std::size_t>(line.file) < module.files.size())
            out = fmt::format("{}:{}",
                              as_submitted(module.files[static_cast<std::size_t>(line.file)]),
                              line.line);
        std::string_view text = instruction.text;
        text = text.substr(0, text.find_first_of(" \t\n;", text.find(instruction.opcode)));
        if (const std::size_t opcode = text.find(instruction.opcode);
            opcode != std::string_view::npos)
            text.remove_prefix(opcode);  // without the guard
        return fmt::format("{}: the instruction {} is ruled out: ", out, text);
    }

    Result<MaybeFailure> link(const std::vector<Unit>& units) {
        auto outcome =
            commands_.separate
                ? run_tool(commands_.link_device(units), work_.path())
                : Result<sandbox::Outcome>(sandbox::Outcome{.end = sandbox::End::exited});
        if (!outcome) return outcome.error();
        if (outcome->end == sandbox::End::exited && outcome->exit_code == 0)
            outcome = run_tool(commands_.link(units), work_.path());
        if (!outcome) return outcome.error();
        if (outcome->end == sandbox::End::exited && outcome->exit_code == 0) return MaybeFailure();
        const std::string all = units.size() == 1 ? units[0].source : "the submission";
        if (MaybeFailure failure = stopped(*outcome, "the linker", all)) return failure;
        for (const Unit& unit : units)
            if (auto ours = not_the_students(unit)) return *ours;
        const LinkError error = first_link_error(outcome->output);
        const std::string where = error.place.empty() ? all : error.place;
        BuildFailure failure{Verdict::compile_error, {}, outcome->output};
        switch (error.kind) {
            case LinkError::Kind::duplicate:
                failure.message =
                    error.symbol == "main"
                        ? fmt::format("{}: remove main: cugrade's own main calls your functions",
                                      where)
                        : fmt::format(
                              "{}: {} is defined twice{}; keep one definition, or make it static "
                              "or inline",
                              where, error.symbol,
                              error.first.empty() ? ""
                                                  : fmt::format(" (first in {})", error.first));
                break;
            case LinkError::Kind::undefined: undefined(error, where, failure); break;
            case LinkError::Kind::other:
                return Error{.message = "the runner cannot be linked: " +
                                        outcome->output.substr(0, outcome->output.find('\n')),
                             .remedy = "run `cugrade doctor`"};
        }
        return MaybeFailure(std::move(failure));
    }

    void undefined(const LinkError& error, const std::string& where, BuildFailure& failure) {
        const bool cuda_runtime =
            error.symbol.starts_with("cuda") || error.symbol.starts_with("__cuda");
        if (cuda_runtime && !commands_.on_gpu()) {
            // Our gap: nothing is charged.
            failure.verdict = Verdict::harness_error;
            failure.message =
                fmt::format("{}: the emulated GPU does not have {}", where, error.symbol);
            return;
        }
        constexpr std::array<std::string_view, 6> libraries{"cublas",   "curand",   "cufft",
                                                            "cusparse", "cusolver", "cudnn"};
        for (const std::string_view library : libraries)
            if (error.symbol.starts_with(library)) {
                failure.message = fmt::format(
                    "{}: {} is in a library that submissions are not linked with; "
                    "write it yourself",
                    where, error.symbol);
                return;
            }
        failure.message = fmt::format(
            "{}: {} is declared but defined nowhere; define it in your submission, "
            "with the same parameters",
            where, error.symbol);
    }

    Commands commands_;
    const WorkFolder& work_;
    PathNames names_;
    bool may_differ_ = false;
};

/// What nvcc says that it would do: its settings ("#$ TOP=...") and commands, none of them run.
std::string dry_run_of(const fs::path& nvcc) {
    const std::string command =
        shell_word(nvcc.string()) + " -dryrun -x cu -c /dev/null -o /dev/null 2>&1";
    FILE* pipe = ::popen(command.c_str(), "re");
    if (pipe == nullptr) return "";
    std::string text;
    char buffer[4096];
    while (const std::size_t got = std::fread(buffer, 1, sizeof buffer, pipe))
        text.append(buffer, got);
    ::pclose(pipe);
    return text;
}

/// What follows `label` in a dry run, up to the first of `ends`; empty if it is not there.
std::string after(std::string_view text, std::string_view label, std::string_view ends) {
    const std::size_t at = text.find(label);
    if (at == std::string_view::npos) return "";
    text.remove_prefix(at + label.size());
    return std::string(text.substr(0, text.find_first_of(ends)));
}

/// "13.0.88", from the macros that nvcc defines.
std::string version_in(std::string_view dry_run) {
    std::string version;
    for (const std::string_view part : {"MAJOR", "MINOR", "BUILD"}) {
        const std::string number = after(dry_run, fmt::format("-D__CUDACC_VER_{}__=", part), " \n");
        if (number.empty()) return "";
        version += (version.empty() ? "" : ".") + number;
    }
    return version;
}

/// Where nvcc's own link would look, then where distributions put it, then where cugrade itself
/// was linked. nvcc is asked, because what is on the PATH may be a script or a link from elsewhere.
fs::path find_cudart_static(std::string_view dry_run) {
    std::vector<fs::path> folders;
    std::string_view libraries = dry_run;
    if (const std::size_t at = libraries.find("LIBRARIES="); at != std::string_view::npos)
        libraries = libraries.substr(at, libraries.find('\n', at) - at);
    else
        libraries = {};
    for (std::size_t at = 0; (at = libraries.find("-L", at)) != std::string_view::npos;) {
        at += 2;
        folders.emplace_back(libraries.substr(at, libraries.find_first_of("\" ", at) - at));
    }
    if (const std::string top = after(dry_run, "#$ TOP=", "\n"); !top.empty())
        for (const char* folder :
             {"lib64", "targets/x86_64-linux/lib", "targets/sbsa-linux/lib", "lib"})
            folders.push_back(fs::path(top) / folder);
    folders.emplace_back("/usr/lib/x86_64-linux-gnu");
    folders.emplace_back(CUGRADE_CUDA_LIBRARIES);
    for (const fs::path& folder : folders) {
        std::error_code error;
        fs::path library = fs::canonical(folder / "libcudart_static.a", error);
        if (!error) return library;
    }
    return {};
}

}  // namespace

Result<Toolchain> Toolchain::find() {
    const std::string path = search_path();
    std::vector<std::string> tried;
    const auto usable = [&](const std::string& candidate) -> bool {
        if (candidate.empty()) return false;
        tried.push_back(candidate);
        return ::access(candidate.c_str(), X_OK) == 0;
    };
    std::string found;
    for (const std::string& candidate :
         {environment_or("CUGRADE_NVCC", ""), environment_or("CUDACXX", ""), std::string("nvcc"),
          std::string("/usr/local/cuda/bin/nvcc")}) {
        const std::string program = candidate.empty() ? "" : sandbox::find_program(candidate, path);
        if (found.empty() && usable(program)) found = program;
    }
    if (found.empty())
        return Error{.message = fmt::format("no nvcc: tried {}", fmt::join(tried, ", ")),
                     .remedy = "install the CUDA Toolkit, or set CUGRADE_NVCC to the path of nvcc"};
    Toolchain toolchain;
    std::error_code error;
    toolchain.nvcc = fs::absolute(found, error);
    const std::string dry_run = dry_run_of(toolchain.nvcc);
    toolchain.nvcc_version = version_in(dry_run);
    if (const fs::path temporary = fs::temp_directory_path(error);
        error || ::access(temporary.c_str(), W_OK) != 0)
        return Error{.message = "the folder for temporary files is not there or cannot be written",
                     .file = environment_or("TMPDIR", temporary.string()),
                     .remedy = "set TMPDIR to a folder that can be written"};
    if (toolchain.nvcc_version.empty())
        return Error{.message = "nvcc does not tell its version",
                     .file = toolchain.nvcc.string(),
                     .remedy = "set CUGRADE_NVCC to the path of a working nvcc"};
    const std::string compiler = environment_or("NVCC_CCBIN", "g++");
    std::error_code ignored;
    toolchain.host_compiler = fs::is_directory(compiler, ignored)
                                  ? fs::path(compiler) / "g++"
                                  : fs::path(sandbox::find_program(compiler, path));
    if (::access(toolchain.host_compiler.c_str(), X_OK) != 0)
        return Error{.message = fmt::format("no host compiler: {} is not in PATH", compiler),
                     .remedy = "install g++, or set NVCC_CCBIN to the path of a C++ compiler"};
    toolchain.cudart_static = find_cudart_static(dry_run);
    return toolchain;
}

std::vector<std::string> device_link(const Toolchain& toolchain, const BuildTarget& target,
                                     const std::vector<std::string>& objects,
                                     const std::string& table) {
    std::vector<std::string> argv{toolchain.nvcc.string(),
                                  "-ccbin",
                                  toolchain.host_compiler.string(),
                                  "-rdc=true",
                                  "-dlink",
                                  "-o",
                                  table};
    if (target.backend == BuildTarget::Backend::emulator) {
        // The PTX is linked when it is loaded, and the device runtime is the emulator's.
        // nvlink 13.0 does not take a name as long as compute_120; the table is the same for all of
        // them.
        const int arch = std::min(*std::ranges::min_element(target.archs), 90);
        argv.insert(argv.end(), {"-gencode", fmt::format("arch=compute_{0},code=compute_{0}", arch),
                                 "-cudadevrt", "none", "-Xnvlink", "--suppress-arch-warning"});
    } else {
        argv.insert(argv.end(), {"-gencode", fmt::format("arch=compute_{0},code=sm_{0}",
                                                         target.archs.front())});
    }
    argv.insert(argv.end(), objects.begin(), objects.end());
    return argv;
}

std::string as_submitted(std::string_view path) {
    const std::size_t work = path.rfind(work_prefix);
    if (work == std::string_view::npos) return std::string(path);
    const std::string inside = fmt::format("/{}/", source_folder);
    const std::size_t at = path.find(inside, work);
    return std::string(at == std::string_view::npos ? path : path.substr(at + inside.size()));
}

Result<std::string> submission_sha256(const fs::path& source) {
    auto submission = read_submission(source);
    if (!submission) return submission.error();
    return submission->sha256;
}

Result<BuildOutcome> build(const Home& home, const Toolchain& toolchain,
                           const BuildRequest& request) {
    auto submission = read_submission(request.source);
    if (!submission) return submission.error();
    BuildOutcome outcome;
    if (!submission->problem.empty()) {
        outcome.failure = BuildFailure{Verdict::compile_error, submission->problem, {}};
        return outcome;
    }
    const Commands commands{home, toolchain, request};
    for (const fs::path& library :
         {commands.runner_library(), commands.tasks_library(), commands.cuda_library()}) {
        std::error_code error;
        if (library.empty())
            return Error{.message = "libcudart_static.a is not where nvcc would look for it",
                         .file = toolchain.nvcc.string(),
                         .remedy = "it comes with the CUDA Toolkit: install the toolkit whole"};
        if (!fs::exists(library, error))
            return Error{.message = "a library of the runner is missing",
                         .file = library.string(),
                         .remedy = "build or install cugrade again"};
    }
    auto cache = BuildCache::open();
    if (!cache) return cache.error();
    const std::string key = commands.key(*submission);
    if (auto known = cache->find(key)) return *known;

    auto work = WorkFolder::make();
    if (!work) return work.error();
    auto units = write_sources(*submission, *work);
    if (!units) return units.error();
    Builder builder(home, toolchain, request, *work);
    auto made = builder.run(std::move(*units));
    if (!made) return made.error();
    const bool keep = !builder.may_differ();
    if (made->failure && !keep) return made;
    return cache->store(keep ? key : "", std::move(*made));
}

}  // namespace cugrade

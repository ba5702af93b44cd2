// From submission to runner executable. Theory of operation:
//
// The submission is copied into a fresh folder that no other build sees. nvcc compiles it there in
// the sandbox, each .cu file by itself, with file names relative to that folder. For the emulated
// GPU the object carries PTX alone. For a GPU it carries machine code and also PTX, so the check
// for forbidden instructions reads the same thing on both. The objects are linked with the runner's
// main, the assignment's table of functions and a CUDA runtime: ours, or NVIDIA's.
//
// The runner is linked whole, so a `main` of the student's collides with ours and is named, instead
// of silently replacing ours. A missing function of the assignment is a weak reference and no error
// here. Any other missing function is an error, except functions of CUDA's runtime that ours lacks
// (build_lacking.hpp).
//
// Kernels that launch kernels need -rdc=true, with which nvcc compiles device code differently and
// in one more step. If the assignment has a task about them and nvcc asks for the flag, the
// submission is compiled again with it. The flags and compile times of other submissions stay the
// same.
//
// The outcome goes into a cache, failures too, unless a limit or the machine decided it. The key is
// everything that the outcome depends on.
#include "build/build.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>
#include <memory>

#include <fmt/format.h>

#include "build/build_cache.hpp"
#include "build/build_commands.hpp"
#include "build/build_lacking.hpp"
#include "build/build_messages.hpp"
#include "build/build_submission.hpp"
#include "build/build_tools.hpp"
#include "build/build_turn.hpp"
#include "build/compiler_view.hpp"
#include "build/includes.hpp"
#include "build/nvcc.hpp"
#include "build/source_policy.hpp"
#include "build/work_folder.hpp"
#include "core/clock.hpp"
#include "core/files.hpp"
#include "emulator/ptx/fatbin.hpp"
#include "emulator/ptx/parser.hpp"
#include "emulator/ptx/unresolved.hpp"
#include "sandbox/sandbox.hpp"

namespace cugrade {
namespace {

namespace fs = std::filesystem;

/// nvcc prints this if a kernel launches a kernel without -rdc=true.
constexpr std::string_view needs_separate = "requires separate compilation mode";
/// Of the PTX of a submission, and of what parsing one image of it takes: that happens in the
/// grader's own memory. Chosen: a file that uses a dozen algorithms of Thrust with several types
/// gives 5.4 MiB for a device, and 60 MB to parse.
constexpr std::uint64_t most_ptx_bytes = std::uint64_t{128} << 20;
constexpr std::uint64_t most_ptx_memory_bytes = std::uint64_t{512} << 20;

/// One attempt at a build. A failure is the student's; an Error is ours.
class Builder {
public:
    Builder(const Home& home, const Toolchain& toolchain, const BuildRequest& request,
            const WorkFolder& work)
        : commands_{home, toolchain, request},
          policy_(request.forbidden,
                  request.keeper != nullptr ? fs::path(enclosed_work_folder) / "src" : work.source(),
                  *request.assignment, toolchain),
          work_(work),
          tools_(commands_, work) {}

    Result<BuildOutcome> run(std::vector<Unit> units) {
        BuildOutcome outcome;
        Build build;
        if (auto ready = tools_.enclose(); !ready) return ready.error();
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

    /// True if a limit or the machine decided, so another try may end differently.
    [[nodiscard]] bool may_differ() const { return tools_.may_differ(); }

private:
    using MaybeFailure = std::optional<BuildFailure>;

    Result<MaybeFailure> compile_all(const std::vector<Unit>& units, std::string& warnings) {
        preprocessed_left_ = most_preprocessed_bytes;
        std::uint64_t ptx_left = most_ptx_bytes;
        ptx::UnresolvedSearch search(commands_.separate);
        for (const Unit& unit : units) {
            auto failure = compile(unit, warnings);
            if (!failure || *failure) return failure;
            if (auto read = policy_.check_read(unit.source, evidence(unit)))
                return MaybeFailure(std::move(read));
            auto images = ptx_of(unit, ptx_left);
            if (!images) return images.error();
            if (auto large = too_much_ptx(unit, *images)) return MaybeFailure(std::move(large));
            failure = policy_.check(unit.source, work_.path() / unit.object, **images,
                                    evidence(unit));
            if (!failure || *failure) return failure;
            failure = check_ptx(unit, **std::move(images), search);
            if (!failure || *failure) return failure;
        }
        return check_resolved(units, search.take());
    }

    /// The unit's PTX, if anybody looks at it; nothing if the submission has more than `left`.
    Result<std::optional<std::vector<ptx::FatbinPtx>>> ptx_of(const Unit& unit,
                                                              std::uint64_t& left) const {
        std::optional<std::vector<ptx::FatbinPtx>> images(std::in_place);
        if (commands_.for_gpu() && !policy_.needs_ptx() &&
            commands_.request.assignment->forbidden.empty())
            return images;
        auto read = ptx::read_object_within(work_.path() / unit.object, left);
        if (!read || !*read) return read;
        for (const ptx::FatbinPtx& image : **read) left -= std::min(left, image.text.size());
        return read;
    }

    /// Whether looking at the PTX would take more memory than a grader has.
    static MaybeFailure too_much_ptx(const Unit& unit,
                                     const std::optional<std::vector<ptx::FatbinPtx>>& images) {
        const auto is_large = [](const ptx::FatbinPtx& image) {
            return ptx::memory_to_parse(image.text) > most_ptx_memory_bytes;
        };
        if (images && std::ranges::none_of(*images, is_large)) return std::nullopt;
        return BuildFailure{
            Verdict::compile_error,
            fmt::format("{}: {} more PTX than cugrade reads; look for templates, asm statements or "
                        "unrolled loops that make too many instructions",
                        unit.source, images ? "it gives" : "with it the submission gives"),
            {}};
    }

    /// Reports undefined symbols as nvcc's device linker would. For a GPU that linker has reported
    /// them.
    [[nodiscard]] MaybeFailure check_resolved(const std::vector<Unit>& units,
                                              const std::vector<ptx::Unresolved>& unresolved) const {
        if (unresolved.empty()) return std::nullopt;
        BuildFailure failure;
        for (const ptx::Unresolved& one : unresolved) {
            const std::string what =
                one.is_function ? "__device__ function" : "__device__ variable";
            if (failure.message.empty())
                failure.message = fmt::format(
                    "{}: the {} {} is declared but defined nowhere; define it in {}, with the same "
                    "{}",
                    place_of(one, units), what, one.name,
                    commands_.separate || units.size() == 1 ? "your submission"
                                                            : "the same .cu file",
                    one.is_function ? "parameters" : "type");
            failure.compiler_output +=
                fmt::format("{}: error: undefined reference to the {} {}{}\n", place_of(one, units),
                            what, one.name, one.from.empty() ? "" : ", in " + one.from);
        }
        return failure;
    }

    static std::string place_of(const ptx::Unresolved& one, const std::vector<Unit>& units) {
        if (one.file.empty()) return units.size() == 1 ? units[0].source : "the submission";
        return fmt::format("{}:{}", as_submitted(one.file), one.line);
    }

    Result<MaybeFailure> compile(const Unit& unit, std::string& warnings) {
        if (auto made = tools_.make_folder(evidence(unit).filename()); !made) return made.error();
        auto outcome = compile_file(policy_.with_evidence(commands_.compile(unit), evidence(unit)),
                                    [this](std::vector<std::string> command) {
                                        return tools_.run(std::move(command), BuildTools::In::source);
                                    });
        if (!outcome) return outcome.error();
        if (auto fetched = tools_.fetch_folder(evidence(unit)); !fetched) return fetched.error();
        if (auto large = SourcePolicy::check_size(unit.source, evidence(unit), preprocessed_left_))
            return MaybeFailure(std::move(large));
        if (succeeded(*outcome)) {
            warnings += outcome->output;
            if (auto fetched = tools_.fetch(unit.object); !fetched) return fetched.error();
            return MaybeFailure();
        }
        if (auto ended = BuildTools::ended_from_outside(*outcome)) return *ended;
        if (auto failure = policy_.check_failed(unit.source, outcome->output, evidence(unit)))
            return MaybeFailure(std::move(failure));
        if (MaybeFailure failure = tools_.stopped(*outcome, "the compiler", unit.source)) return failure;
        // These messages are about the installation: no source file makes nvcc print them.
        if (const std::size_t at = outcome->output.find("nvcc fatal");
            !policy_.has_begun(evidence(unit)) &&
            (at == 0 || (at != std::string::npos && outcome->output[at - 1] == '\n')))
            return Error{.message = "nvcc cannot compile here: " +
                                    outcome->output.substr(at, outcome->output.find('\n', at) - at),
                         .remedy = "run `cugrade doctor`; $NVCC_CCBIN names another host compiler"};
        if (auto ours = not_the_students(unit, outcome->output)) return *ours;
        std::string message = first_compile_error(outcome->output);
        if (const std::string name = unresolved_by_ptxas(outcome->output); !name.empty())
            message = fmt::format(
                "{}: the __device__ function {} is declared but defined nowhere; define it in the "
                "same .cu file, with the same parameters",
                unit.source, name);
        else if (message.empty())
            message = fmt::format("{}: the compiler failed with exit code {}", unit.source,
                                  outcome->exit_code);
        else if (message.find(unit.source) == std::string::npos)
            message = fmt::format("{}: {}", unit.source, message);
        return MaybeFailure(
            BuildFailure{Verdict::compile_error, message + include_hint(message), outcome->output});
    }

    [[nodiscard]] fs::path evidence(const Unit& unit) const {
        return work_.path() / ("evidence-" + unit.object);
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

    /// The Error if the tool failed because of the installation or the work folder, not the
    /// submission.
    [[nodiscard]] std::optional<Error> not_the_students(const Unit& unit,
                                                        std::string_view output) const {
        // A compiler that does not find a part of itself: "g++: fatal error: cannot execute 'as'".
        for (const std::string_view broken :
             {": fatal error: cannot execute ", "collect2: fatal error: cannot find "})
            if (const std::size_t at = output.find(broken); at != std::string_view::npos) {
                const std::size_t begin = output.rfind('\n', at) + 1;  // 0 where there is none
                return Error{
                    .message = fmt::format("the host compiler is not complete: {}",
                                           output.substr(begin, output.find('\n', at) - begin)),
                    .file = commands_.toolchain.host_compiler.string(),
                    .remedy =
                        "install g++ and binutils whole, or name another compiler "
                        "with NVCC_CCBIN"};
            }
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

    /// Looks for forbidden instructions, and for symbols that nobody defines; each module is gone
    /// before the next is parsed.
    Result<MaybeFailure> check_ptx(const Unit& unit, std::vector<ptx::FatbinPtx> images,
                                   ptx::UnresolvedSearch& search) const {
        const auto& rules = commands_.request.assignment->forbidden;
        if (rules.empty() && commands_.for_gpu()) return MaybeFailure();
        for (ptx::FatbinPtx& image : images) {
            auto module = ptx::parse(std::move(image.text), unit.source + " (PTX)");
            if (!module && rules.empty()) continue;  // running it reports the error
            if (!module)  // a gap of ours: only a person can tell whether the PTX is right
                return MaybeFailure(BuildFailure{
                    Verdict::skipped,
                    fmt::format("{}: cugrade cannot read its PTX, so that nobody knows whether it "
                                "uses what the assignment rules out: {}",
                                unit.source, module.error().text()),
                    {}});
            if (!commands_.for_gpu()) search.add(**module, image.arch);
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
        auto outcome = run_linkers(units);
        if (!outcome) return outcome.error();
        if (succeeded(*outcome)) {
            if (auto fetched = tools_.fetch("runner"); !fetched) return fetched.error();
            return MaybeFailure();
        }
        if (auto ended = BuildTools::ended_from_outside(*outcome)) return *ended;
        const std::string all = units.size() == 1 ? units[0].source : "the submission";
        if (MaybeFailure failure = tools_.stopped(*outcome, "the linker", all)) return failure;
        for (const Unit& unit : units)
            if (auto ours = not_the_students(unit, outcome->output)) return *ours;
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
            case LinkError::Kind::undefined:
                failure.message = fmt::format("{}: {}", where, undefined(error.symbol));
                break;
            case LinkError::Kind::other:
                return Error{.message = "the runner cannot be linked: " +
                                        outcome->output.substr(0, outcome->output.find('\n')),
                             .remedy = "run `cugrade doctor`"};
        }
        return MaybeFailure(std::move(failure));
    }

    /// Runs the linkers up to the first that fails. Functions of CUDA's runtime that the emulated
    /// GPU lacks get stand-ins, so that only the tasks that call one are not judged.
    Result<sandbox::Outcome> run_linkers(const std::vector<Unit>& units) {
        if (commands_.separate) {
            auto outcome = tools_.run(commands_.link_device(units), BuildTools::In::work);
            if (!outcome || !succeeded(*outcome)) return outcome;
        }
        auto outcome = tools_.run(commands_.link(units), BuildTools::In::work);
        if (!outcome || succeeded(*outcome) || commands_.for_gpu()) return outcome;
        const auto lacking = lacking_functions(
            outcome->output, runtime_functions(commands_.toolchain.cudart_static), sources(units));
        if (lacking.empty()) return outcome;
        std::ofstream(work_.source() / stand_ins_source) << stand_ins(lacking);
        if (auto there = tools_.put(work_.source() / stand_ins_source); !there) return there.error();
        auto compiled = tools_.run(commands_.compile_stand_ins(), BuildTools::In::work);
        if (!compiled || !succeeded(*compiled)) return compiled;
        return tools_.run(commands_.link(units, true), BuildTools::In::work);
    }

    [[nodiscard]] std::vector<NamedText> sources(const std::vector<Unit>& units) const {
        std::vector<NamedText> out;
        for (const Unit& unit : units)
            if (auto text = read_file(work_.source() / unit.source))
                out.emplace_back(unit.source, *std::move(text));
        return out;
    }

    /// The message about a symbol that is defined nowhere.
    [[nodiscard]] std::string undefined(const std::string& symbol) const {
        constexpr std::array<std::string_view, 6> libraries{"cublas",   "curand",   "cufft",
                                                            "cusparse", "cusolver", "cudnn"};
        for (const std::string_view library : libraries)
            if (symbol.starts_with(library))
                return fmt::format(
                    "{} is in a library that submissions are not linked with; write it yourself",
                    symbol);
        if (is_called_like_the_runtime(symbol))
            return no_such_function(symbol, runtime_functions(commands_.toolchain.cudart_static));
        return fmt::format(
            "{} is declared but defined nowhere; define it in your submission, with the same "
            "parameters",
            symbol);
    }

    BuildCommands commands_;
    SourcePolicy policy_;
    const WorkFolder& work_;
    BuildTools tools_;
    std::uint64_t preprocessed_left_ = most_preprocessed_bytes;
};

}  // namespace

Result<std::string> submission_sha256(const fs::path& source) {
    auto submission = read_submission(source);
    if (!submission) return submission.error();
    return submission->sha256;
}

std::optional<Error> missing_library(const Home& home, const Toolchain& toolchain,
                                     const AssignmentSpec& assignment, const BuildTarget& target) {
    const BuildRequest request{
        .source = {}, .assignment = &assignment, .target = target, .limits = {}};
    const BuildCommands commands{home, toolchain, request};
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
    return std::nullopt;
}

Result<BuildOutcome> build(const Home& home, const Toolchain& toolchain,
                           const BuildRequest& request) {
    auto submission = read_submission(request.source);
    if (!submission) return submission.error();
    BuildOutcome outcome;
    if (submission->problem.empty() && !request.forbidden.empty())
        submission->problem = find_line_directive(submission->files);
    if (!submission->problem.empty()) {
        outcome.failure = BuildFailure{Verdict::compile_error, submission->problem, {}};
        return outcome;
    }
    const BuildCommands commands{home, toolchain, request};
    if (auto missing = missing_library(home, toolchain, *request.assignment, request.target))
        return *std::move(missing);
    // It is made while files are hashed; hardly ever in vain, for most submissions are new.
    if (request.keeper != nullptr && !request.is_known)
        if (auto begun = request.keeper->prepare(compiler_view(commands), 1); !begun)
            return begun.error();
    auto cache = BuildCache::open();
    if (!cache) return cache.error();
    const std::string key = key_with_policy(commands.key(*submission), request.forbidden);
    if (auto known = cache->find(key)) return *known;
    const BuildTurn turn(key);
    if (turn.has_waited())
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

// Theory of operation. Symptoms (findings, verdicts, places) rank what can be changed in the
// execution; each change is tried on the failing cases (experiment.hpp), the most probable first,
// and the first that mends the task is its proven cause. If none does, the best of what findings
// and messages suggest is told as likely, and if there is nothing of that, no cause.
#include "judging/causes.hpp"

#include <algorithm>
#include <iterator>
#include <string_view>

#include <fmt/format.h>

#include "emulator/ptx/module.hpp"
#include "judging/cause_places.hpp"
#include "judging/checks.hpp"
#include "judging/experiment.hpp"
#include "judging/hypotheses.hpp"
#include "judging/source_places.hpp"

namespace cugrade {
namespace {

/// "all 7 failing cases are right"
std::string told(const Experiments& experiments, const std::string& change) {
    const int mended = experiments.mended();
    const std::string which =
        mended < experiments.failing()
            ? fmt::format("the smallest {} of {} failing cases are", mended, experiments.failing())
        : mended == 1 ? "the failing case is"
                      : fmt::format("all {} failing cases are", mended);
    std::string out = fmt::format("with {} {} right", change, which);
    if (experiments.kept() > 0)
        out += fmt::format(", and {} that {} right before still {}", experiments.kept(),
                           experiments.kept() == 1 ? "was" : "were",
                           experiments.kept() == 1 ? "is" : "are");
    return out;
}

std::string_view last_name(std::string_view full) {
    full = full.substr(0, full.find_first_of("(<"));
    const std::size_t colon = full.rfind(':');
    return colon == std::string_view::npos ? full : full.substr(colon + 1);
}

/// Where to edit, if the change itself does not tell: at the launch of its kernel, or of the first.
void place(const Hypothesis& from, std::span<const emulator::Intervention> possible,
           std::span<const SourceFile> source, Cause& cause) {
    const auto try_launch = [&](const emulator::Intervention& one) {
        if (cause.location.line > 0 || one.function.empty()) return;
        cause.location = one.place.line > 0
                             ? location_of(one.place)
                             : launch_of(last_name(ptx::demangled(one.function)), source);
    };
    std::ranges::for_each(from.change.interventions, try_launch);
    for (const emulator::Intervention& one : possible)
        if (one.kind == emulator::InterventionKind::grid_larger) try_launch(one);
}

/// A barrier goes where all threads of the block come by: behind the branches around the line.
void move_behind_branches(std::span<const SourceFile> source, Cause& cause) {
    const int line =
        line_behind_branches(text_of(cause.location.file, source), cause.location.line);
    if (line == cause.location.line) return;
    const auto rename = [&](std::string& text) {
        const std::string from = fmt::format("line {}", cause.location.line);
        if (const std::size_t at = text.find(from); at != std::string::npos)
            text.replace(at, from.size(), fmt::format("line {}", line));
    };
    rename(cause.sentence);
    rename(cause.advice);
    cause.location.line = line;
}

Result<std::optional<Cause>> proven_cause(const TaskRun& run, const SessionOptions& options,
                                          std::span<const SourceFile> source,
                                          const CodeOfTask& code, const TaskOutcome& outcome,
                                          const Symptoms& symptoms) {
    Experiments experiments(run, options, outcome);
    const auto can = experiments.can_begin();
    if (!can) return can.error();
    if (!*can && !experiments.right_alone()) return std::optional<Cause>();
    if (!*can) {
        Cause cause = state_kept();
        cause.proof = Proof::proven;
        cause.evidence = "each failing case is right in a process of its own";
        for (const CaseOutcome* failing : symptoms.failing) cause.cases.push_back(failing->id);
        return std::optional(std::move(cause));
    }
    std::vector<Hypothesis> all = hypotheses(symptoms, experiments.possible());
    std::ranges::move(hypotheses_of_order(symptoms, *run.task), std::back_inserter(all));
    // Other tasks' kernels are in the same file, and cannot be the cause.
    std::erase_if(all, [&](const Hypothesis& one) { return !code.reaches(one.cause.location); });
    std::ranges::stable_sort(all, {}, &Hypothesis::rank);
    for (const Hypothesis& one : all) {
        const auto mends = experiments.mends(one.change);
        if (!mends) return mends.error();
        if (!*mends && experiments.is_over()) break;
        if (!*mends) continue;
        Cause cause = one.cause;
        cause.proof = Proof::proven;
        cause.evidence = told(experiments, one.cause.evidence);
        place(one, experiments.possible(), source, cause);
        if (cause.id == "missing_barrier") move_behind_branches(source, cause);
        for (const CaseOutcome* failing : symptoms.failing) cause.cases.push_back(failing->id);
        return std::optional(std::move(cause));
    }
    return std::optional<Cause>();
}

/// How the emulated GPU's message about a launch begins; the kernel's name follows.
constexpr std::string_view of_a_launch = "kernel launch: ";

/// Without an experiment, the surest first.
std::optional<Cause> likely_cause(const CodeOfTask* code, std::string_view compiler_output,
                                  std::span<const SourceFile> source, const TaskOutcome& outcome,
                                  const Symptoms& symptoms) {
    std::vector<Cause> found = likely_causes(outcome, symptoms);
    std::optional<Cause> cause;
    if (code != nullptr) {
        const std::vector<Cause> warnings = code->warned_of(compiler_output);
        if (!warnings.empty())
            cause = warnings.front();
        else
            cause = code->by_cases(outcome, symptoms);
        if (cause && cause->cases.empty())
            for (const CaseOutcome* failing : symptoms.failing) cause->cases.push_back(failing->id);
        // What a checker saw is more than what the cases have in common; a place outside of all
        // memory may be no more than its effect.
        const bool is_seen = !found.empty() && found.front().id != "missing_bounds_check";
        if (cause && warnings.empty() && is_seen) cause.reset();
    }
    if (!cause && !found.empty()) cause = found.front();
    if (!cause && code != nullptr) cause = code->by_pattern(symptoms);
    if (!cause) return cause;
    if (cause->id == "uninitialised_shared" && code != nullptr && code->is_stencil()) {
        cause->id = "halo_missing";
        cause->advice =
            "Load the elements on all sides of the tile, corners included, before the barrier.";
    }
    if (cause->location.line == 0)
        if (const std::size_t at = cause->sentence.find(of_a_launch); at != std::string::npos)
            cause->location =
                launch_of(last_name(cause->sentence.substr(at + of_a_launch.size())), source);
    if (code != nullptr && cause->evidence.empty()) code->place(*cause);
    return cause;
}

}  // namespace

void find_causes(const TaskRun* run, const SessionOptions* on_emulator,
                 std::span<const SourceFile> source, std::string_view compiler_output,
                 TaskOutcome& outcome) {
    const Symptoms symptoms(outcome);
    if (symptoms.failing.empty()) return;
    std::optional<CodeOfTask> code;
    if (run != nullptr) code.emplace(*run->task, source);
    if (run != nullptr && on_emulator != nullptr) {
        // The marks stand. What an experiment cannot do must not cost them.
        auto proven = proven_cause(*run, *on_emulator, source, *code, outcome, symptoms);
        if (proven && *proven) {
            code->place(**proven);
            outcome.causes.push_back(**std::move(proven));
            return;
        }
    }
    if (auto cause =
            likely_cause(code ? &*code : nullptr, compiler_output, source, outcome, symptoms))
        outcome.causes.push_back(*std::move(cause));
}

}  // namespace cugrade

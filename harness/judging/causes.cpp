// Theory of operation. Symptoms (findings, verdicts, places) rank what can be changed in the
// execution; each change is tried on the failing cases (experiment.hpp), the most probable first,
// and the first that mends the task is its proven cause. If none does, the best of what findings
// and messages suggest is told as likely, and if there is nothing of that, no cause.
#include "judging/causes.hpp"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "emulator/ptx/module.hpp"
#include "judging/checks.hpp"
#include "judging/experiment.hpp"
#include "judging/hypotheses.hpp"
#include "judging/lock_causes.hpp"
#include "judging/source_places.hpp"

namespace cugrade {
namespace {

/// "all 7 failing cases are right"
std::string told(const Experiments& experiments, const std::string& change) {
    const int mended = experiments.mended();
    std::string out = fmt::format("with {} {} right", change,
                                  mended == 1 ? "the failing case is"
                                              : fmt::format("all {} failing cases are", mended));
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

/// What needs no experiment. A refused launch does: its numbers may be swapped.
bool is_told_by_a_call(const Cause& cause) {
    return cause.proof == Proof::proven && cause.id != "launch_refused";
}

Result<std::optional<Cause>> proven_cause(const TaskRun& run, const SessionOptions& options,
                                          std::span<const SourceFile> source,
                                          const TaskOutcome& outcome, const Symptoms& symptoms) {
    Experiments experiments(run, options, outcome);
    const auto can = experiments.can_begin();
    if (!can) return can.error();
    if (!*can) return std::optional<Cause>();
    if (auto cause = lock_cause(experiments.seen(), source)) {
        for (const CaseOutcome* failing : symptoms.failing) cause->cases.push_back(failing->id);
        return cause;
    }
    for (const Hypothesis& one : hypotheses(symptoms, experiments.possible())) {
        const auto mends = experiments.mends(one.change);
        if (!mends) return mends.error();
        if (!*mends) {
            if (experiments.is_over()) break;
            continue;
        }
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

}  // namespace

void find_causes(const TaskRun* run, const SessionOptions* on_emulator,
                   std::span<const SourceFile> source, TaskOutcome& outcome) {
    const Symptoms symptoms(outcome);
    if (symptoms.failing.empty()) return;
    const auto likely = likely_causes(symptoms, source);
    if (!likely.empty() && is_told_by_a_call(likely.front())) {
        outcome.causes = likely;
        return;
    }
    if (run != nullptr && on_emulator != nullptr) {
        // The marks stand. What an experiment cannot do must not cost them.
        auto proven = proven_cause(*run, *on_emulator, source, outcome, symptoms);
        if (proven && *proven) {
            outcome.causes.push_back(**std::move(proven));
            return;
        }
    }
    outcome.causes = likely;
}

}  // namespace cugrade

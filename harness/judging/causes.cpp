// Theory of operation. Symptoms (findings, verdicts, places) rank what can be changed in the
// execution; each change is tried on the failing cases (experiment.hpp), the most probable first,
// and the first that mends the task is its proven cause. If none does, the best of what findings
// and messages suggest is told as likely, and if there is nothing of that, no cause.
#include "judging/causes.hpp"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "emulator/ptx/module.hpp"
#include "judging/experiment.hpp"
#include "judging/hypotheses.hpp"

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

/// The first launch of the kernel in the source. Only one in plain sight is found; a line that
/// cannot be told is better than a wrong one.
SourceLocation launch_of(std::string_view kernel, std::span<const SourceFile> source) {
    for (const SourceFile& file : source) {
        int line = 1;
        for (std::size_t begin = 0; begin < file.text.size(); ++line) {
            const std::size_t end = std::min(file.text.find('\n', begin), file.text.size());
            const std::string_view text = std::string_view(file.text).substr(begin, end - begin);
            begin = end + 1;
            const std::size_t launch = text.find("<<<");
            if (launch == std::string_view::npos) continue;
            const std::size_t name = text.rfind(kernel, launch);
            if (name != std::string_view::npos)
                return {file.name, line, static_cast<int>(name) + 1};
        }
    }
    return {};
}

std::string_view last_name(std::string_view full) {
    full = full.substr(0, full.find_first_of("(<"));
    const std::size_t colon = full.rfind(':');
    return colon == std::string_view::npos ? full : full.substr(colon + 1);
}

void place(const Hypothesis& from, std::span<const SourceFile> source, Cause& cause) {
    if (cause.location.line > 0) return;
    for (const emulator::Intervention& one : from.change.interventions)
        if (!one.function.empty() && cause.location.line == 0)
            cause.location = launch_of(last_name(ptx::demangled(one.function)), source);
}

Result<std::optional<Cause>> proven_cause(const TaskRun& run, const SessionOptions& options,
                                          std::span<const SourceFile> source,
                                          const TaskOutcome& outcome, const Symptoms& symptoms) {
    Experiments experiments(run, options, outcome);
    const auto can = experiments.can_begin();
    if (!can) return can.error();
    if (!*can) return std::optional<Cause>();
    for (const Hypothesis& one : hypotheses(symptoms, experiments.possible())) {
        const auto mends = experiments.mends(one.change);
        if (!mends) return mends.error();
        if (experiments.is_over()) break;
        if (!*mends) continue;
        Cause cause = one.cause;
        cause.proof = Proof::proven;
        cause.evidence = told(experiments, one.cause.evidence);
        place(one, source, cause);
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
    if (run != nullptr && on_emulator != nullptr) {
        // The marks stand. What an experiment cannot do must not cost them.
        auto proven = proven_cause(*run, *on_emulator, source, outcome, symptoms);
        if (proven && *proven) {
            outcome.causes.push_back(**std::move(proven));
            return;
        }
    }
    outcome.causes = likely_causes(outcome, symptoms);
}

}  // namespace cugrade

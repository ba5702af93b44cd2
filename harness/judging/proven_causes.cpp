#include "judging/proven_causes.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "emulator/ptx/module.hpp"
#include "judging/checks.hpp"
#include "judging/edits_in_source.hpp"
#include "judging/experiment.hpp"
#include "judging/hypotheses.hpp"
#include "judging/lock_causes.hpp"
#include "judging/source_places.hpp"
#include "judging/unread_cause.hpp"
#include "judging/written_calls.hpp"

namespace cugrade {
namespace {

/// The cases of the last change that mends.
struct Mended {
    explicit Mended(const Experiments& experiments)
        : mended(experiments.mended()), failing(experiments.failing()), kept(experiments.kept()) {}
    int mended, failing, kept;
};

/// "all 7 failing cases are right"
std::string told(const Mended& cases, const std::string& change) {
    const auto& [mended, failing, kept] = cases;
    const std::string which =
        mended < failing ? fmt::format("the smallest {} of {} failing cases are", mended, failing)
        : mended == 1    ? "the failing case is"
                         : fmt::format("all {} failing cases are", mended);
    std::string out = fmt::format("with {} {} right", change, which);
    if (kept > 0)
        out += fmt::format(", and {} that {} right before still {}", kept,
                           kept == 1 ? "was" : "were", kept == 1 ? "is" : "are");
    return out;
}

/// Where it shows, if the change itself does not tell: where a finding is that it explains.
void place_at_finding(const Symptoms& symptoms, Cause& cause) {
    for (const CaseOutcome* one : symptoms.failing)
        for (const CheckerFinding& finding : symptoms.findings_of(*one))
            if (cause.location.line <= 0 && finding.location && !finding.warning &&
                std::ranges::count(cause.explains, finding.kind) > 0)
                cause.location = *finding.location;
}

/// Else at the launch of its kernel, or at the first launch.
void place(const Hypothesis& from, std::span<const emulator::Intervention> possible,
           std::span<const SourceFile> source, Cause& cause) {
    const auto try_launch = [&](const emulator::Intervention& one) {
        if (cause.location.line > 0 || one.function.empty()) return;
        cause.location = one.place.line > 0
                             ? location_of(one.place)
                             : launch_of(kernel_name(ptx::demangled(one.function)), source);
    };
    std::ranges::for_each(from.change.interventions, try_launch);
    for (const emulator::Intervention& one : possible)
        if (one.kind == emulator::InterventionKind::grid_larger) try_launch(one);
}

/// Of several changes that mend together, those that are needed: they say where the mistake is.
std::optional<Error> leave_out_what_changes_nothing(Experiments& experiments,
                                                    const Symptoms& symptoms, Hypothesis& one,
                                                    Mended& cases) {
    constexpr std::size_t most = 8;
    auto& list = one.change.interventions;
    // Of a mask or a first value all uses are one text.
    if (list.size() < 2 || list.size() > most ||
        (list.front().kind != emulator::InterventionKind::widened_sign &&
         list.front().kind != emulator::InterventionKind::other_sign))
        return {};
    for (std::size_t k = 0; k < list.size() && list.size() > 1;) {
        Change fewer = one.change;
        fewer.interventions.erase(fewer.interventions.begin() + static_cast<std::ptrdiff_t>(k));
        const auto mends = experiments.mends(fewer);
        if (!mends) return mends.error();
        if (!*mends) {
            ++k;
            continue;
        }
        one.change = std::move(fewer);
        cases = Mended(experiments);
    }
    one.cause = cause_of(list.front(), symptoms);
    return {};
}

/// The cause of a change that mends, with the place at which it is edited.
Cause proven_by(const Hypothesis& one, const Mended& cases, const Experiments& experiments,
                std::span<const SourceFile> source, const Symptoms& symptoms) {
    Cause cause = one.cause;
    cause.proof = Proof::proven;
    cause.evidence = told(cases, one.cause.evidence);
    if (cause.id != "uninitialised_output") place_at_finding(symptoms, cause);
    place(one, experiments.possible(), source, cause);
    cause.cases = ids_of(symptoms.failing);
    return cause;
}

/// A change that only code as it is written allows, or that the graded program's may not.
bool is_of_code(const Hypothesis& one) {
    return !one.change.interventions.empty() &&
           one.change.interventions.front().kind < emulator::InterventionKind::zero_shared;
}
bool is_of_loop_or_parameter(const Hypothesis& one) {
    const emulator::Intervention& first = one.change.interventions.front();
    return first.kind == emulator::InterventionKind::parameter || is_number_of_loop(first);
}

/// Edits that have been tried on the graded program: the same ones help its code as written, if at
/// all, after those that only that allows.
using Tried = std::set<std::pair<int, std::string>>;
Tried::value_type edit_of(const Hypothesis& one) {
    if (one.change.interventions.empty()) return {};
    const emulator::Intervention& first = one.change.interventions.front();
    return {first.place.line, first.text};
}

/// In a loop that is unrolled, a comparison may have become several, and others none.
bool is_comparison(const Hypothesis& one) {
    return one.change.interventions.front().kind == emulator::InterventionKind::comparison;
}

/// The first change that mends the task.
Result<std::optional<Cause>> cause_of_mending_change(const TaskRun& run, Experiments& experiments,
                                                     std::span<const SourceFile> source,
                                                     const CodeOfTask& code,
                                                     const Symptoms& symptoms,
                                                     const RuledOut& ruled_out, Tried& tried,
                                                     bool as_written) {
    std::vector<Hypothesis> all =
        hypotheses(symptoms, edits_in_source(experiments.possible(), source));
    if (as_written) {
        // All others have been tried.
        std::erase_if(all, [](const Hypothesis& one) { return !is_of_code(one); });
        for (Hypothesis& one : all)
            one.rank = is_of_loop_or_parameter(one)                          ? 0
                       : tried.contains(edit_of(one)) && !is_comparison(one) ? 2
                                                                             : 1;
    } else {
        std::ranges::move(hypotheses_of_order(symptoms, *run.task), std::back_inserter(all));
    }
    // Other tasks' kernels are in the same file, and cannot be the cause.
    // A grid that is exchanged with nothing has one block in x, which may hide what many do wrong.
    const bool has_rows = code.calls_any({"y"});
    // Where no atomic function takes the bits, numbers that go through an integer are cut off.
    const bool has_bits = code.calls_any({"atomicCAS", "atomicMax", "atomicMin", "atomicExch"});
    const auto keeps_bits_both_ways = [](const Hypothesis& one) {
        const auto& list = one.change.interventions;
        return one.cause.id == "converted_not_reinterpreted" &&
               std::ranges::any_of(list, [&](const emulator::Intervention& other) {
                   return other.text != list.front().text;
               });
    };
    const auto any_grid = right_with_any_grid(experiments.possible());
    const auto changes_grid = [&](const Hypothesis& one) {
        return one.change.interventions.size() == 1 &&
               one.change.interventions[0].kind == emulator::InterventionKind::grid_larger &&
               any_grid.contains(one.change.interventions[0].function);
    };
    std::erase_if(all, [&](const Hypothesis& one) {
        return !code.reaches(one.cause.location) || (!has_rows && changes_grid(one)) ||
               (!has_bits && keeps_bits_both_ways(one)) ||
               (ruled_out.swapped_launch && one.cause.id == "launch_swapped") ||
               (!has_rows && one.cause.sentence.find("with x and y of") != std::string::npos) ||
               (ruled_out.small_grid && one.cause.id == "grid_too_small");
    });
    std::ranges::stable_sort(all, {}, &Hypothesis::rank);
    for (Hypothesis& one : all) {
        const auto mends = experiments.mends(one.change);
        if (!mends) return mends.error();
        tried.insert(edit_of(one));
        if (!*mends && experiments.is_over()) break;
        if (!*mends) continue;
        Mended cases(experiments);
        if (const auto error = leave_out_what_changes_nothing(experiments, symptoms, one, cases))
            return *error;
        Cause cause = proven_by(one, cases, experiments, source, symptoms);
        if (one.change.interventions.size() == 1)
            tell_parameters(one.change.interventions.front(), *run.task, source, cause);
        return std::optional(std::move(cause));
    }
    return std::optional<Cause>();
}

/// What separates the failing cases from the others: a loop that halves an odd number, a counter
/// that is full. No change of the execution mends that, so it is not proven.
Result<std::optional<Cause>> cause_of_probe(emulator::InterventionKind kind,
                                            Experiments& experiments, const CodeOfTask& code,
                                            const Symptoms& symptoms) {
    for (const emulator::Intervention& one : experiments.possible()) {
        if (one.kind != kind) continue;
        Cause cause = cause_of(one, symptoms);
        if (!code.reaches(cause.location)) continue;
        Change probe;
        probe.interventions = {one};
        const auto tells = experiments.tells_apart(probe);
        if (!tells) return tells.error();
        if (!*tells) continue;
        cause.evidence = fmt::format(
            "it does so in each of {} failing cases that were run again, and in none of {} right "
            "ones",
            experiments.mended(), experiments.kept());
        cause.cases = ids_of(symptoms.failing);
        return std::optional(std::move(cause));
    }
    return std::optional<Cause>();
}

/// What is right in the first call alone need not lack a start value: the first call allocates, and
/// that makes the host wait for streams and children.
Result<std::optional<Cause>> order_of_later_calls(Experiments& experiments,
                                                  std::span<const SourceFile> source,
                                                  const CodeOfTask& code,
                                                  const Symptoms& symptoms) {
    if (!experiments.fails_later()) return std::optional<Cause>();
    for (const emulator::Intervention& one : experiments.possible()) {
        if (one.kind != emulator::InterventionKind::streams_waited_for &&
            one.kind != emulator::InterventionKind::children_in_tail &&
            one.kind != emulator::InterventionKind::children_first)
            continue;
        Hypothesis later{.rank = 0, .change = {}, .cause = cause_of(one, symptoms)};
        if (!code.reaches(later.cause.location)) continue;
        later.change.interventions = {one};
        later.change.behind_others = true;
        const auto mends = experiments.mends(later.change);
        if (!mends) return mends.error();
        if (!*mends) continue;
        Cause cause = proven_by(later, Mended(experiments), experiments, source, symptoms);
        cause.evidence += ", behind other calls, too";
        return std::optional(std::move(cause));
    }
    return std::optional<Cause>();
}

}  // namespace

std::vector<int> ids_of(const std::vector<const CaseOutcome*>& cases) {
    std::vector<int> out;
    for (const CaseOutcome* one : cases) out.push_back(one->id);
    return out;
}

bool is_wrong_in_order(const Symptoms& e) {
    const bool is_wrong = e.has(Verdict::wrong_answer) || e.has(Verdict::unwritten_output) ||
                          e.has(Verdict::out_of_bounds);
    return is_wrong && !e.has(Verdict::nondeterministic) && !e.has("shared_race") &&
           !e.has("global_race") && !e.has("lost_update") && !e.has("missing_atomic");
}

Result<std::optional<Cause>> proven_cause(const TaskRun& run, const Laboratory& laboratory,
                                          std::span<const SourceFile> source,
                                          const CodeOfTask& code, const TaskOutcome& outcome,
                                          const RuledOut& ruled_out, Symptoms& symptoms) {
    Experiments experiments(run, *laboratory.graded, outcome, Experiments::as_graded);
    const auto can = experiments.can_begin();
    if (!can) return can.error();
    if (!*can && experiments.right_alone() == 0) {
        if (const auto seen = experiments.watch(); !seen) return seen.error();
        auto cause = lock_cause(experiments.seen(), source);
        if (cause) cause->cases = ids_of(symptoms.failing);
        return cause;
    }
    if (!*can) {
        if (auto cause = order_of_later_calls(experiments, source, code, symptoms);
            !cause || *cause)
            return cause;
        Cause cause = state_kept();
        cause.proof = Proof::proven;
        const int tried = experiments.right_alone();
        cause.evidence =
            tried < static_cast<int>(symptoms.failing.size())
                ? fmt::format("{} failing cases were run in processes of their own, and are right",
                              tried)
                : "each failing case is right in a process of its own";
        cause.cases = ids_of(symptoms.failing);
        return std::optional(std::move(cause));
    }
    for (const emulator::Intervention& one : experiments.possible())
        if (one.kind == emulator::InterventionKind::block_rounded)
            symptoms.odd_blocks[kernel_name(ptx::demangled(one.function))] = one.value;
    auto seen = experiments.watch();
    if (!seen) return seen.error();
    if (!seen->empty()) symptoms.add(experiments.smallest(), *std::move(seen));
    if (auto cause = lock_cause(experiments.seen(), source)) {
        cause->cases = ids_of(symptoms.failing);
        return cause;
    }
    symptoms.unlocked = unlocked_cause(experiments.seen());
    symptoms.unread = unread_cause(experiments.seen(), source);
    using Kind = emulator::InterventionKind;
    if (is_wrong_in_order(symptoms))
        if (auto full = cause_of_probe(Kind::counter_wrap, experiments, code, symptoms);
            !full || *full)
            return full;
    Tried tried;
    auto cause =
        cause_of_mending_change(run, experiments, source, code, symptoms, ruled_out, tried, false);
    if (!cause || *cause || !is_wrong_in_order(symptoms)) return cause;
    if (auto odd = cause_of_probe(Kind::odd_halving, experiments, code, symptoms); !odd || *odd)
        return odd;
    if (!laboratory.as_written) return cause;
    // Of a loop that the compiler has unrolled, no instruction is the limit, the step or the first
    // value any more.
    if (experiments.spent() + Experiments::least_as_written > Experiments::of_both) return cause;
    const SessionOptions* as_written = laboratory.as_written();
    if (as_written == nullptr) return cause;
    Experiments further(
        run, *as_written, outcome,
        std::min(Experiments::as_written, Experiments::of_both - experiments.spent()));
    const auto can_go_on = further.can_begin();
    if (!can_go_on) return can_go_on.error();
    if (!*can_go_on) return cause;
    return cause_of_mending_change(run, further, source, code, symptoms, ruled_out, tried, true);
}

}  // namespace cugrade

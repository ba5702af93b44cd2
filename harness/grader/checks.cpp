// A result can be right by luck: two threads that race, in the order that this device happens to
// choose, or a sum that starts from memory which happens to be zero. The checkers see what a kernel
// does instead of what comes out.
//
// Theory of operation. A case that was judged is run again in a session of its own, always on the
// emulated GPU as compute_75 and under one schedule, so that the verdict is the same on every
// machine. Outputs are not filled there: to read one before it is written is an error like any
// other. Only small cases are run, and each launch has a budget of instructions, both to bound the
// time: a kernel that exceeds it is judged by what was seen until then. What the checkers
// cannot run at all (an instruction that the emulator lacks) is no finding.
#include "grader/checks.hpp"

#include <algorithm>
#include <functional>

#include <fmt/format.h>

#include "grader/build.hpp"

namespace cugrade {
namespace {

using emulator::Finding;
using emulator::FindingKind;

/// Of one launch, by what the case holds: some thirty instructions for each four bytes.
constexpr std::uint64_t warp_instructions_per_byte = 8;

/// What a finding makes of a case; `accepted` if nothing.
Verdict verdict_of(FindingKind kind) {
    switch (kind) {
        case FindingKind::shared_race:
        case FindingKind::global_race:
        case FindingKind::missing_syncwarp:
        case FindingKind::lost_update: return Verdict::data_race;
        case FindingKind::uninitialised_read: return Verdict::uninitialised_read;
        case FindingKind::out_of_bounds:
        case FindingKind::freed_memory: return Verdict::out_of_bounds;
        case FindingKind::misaligned: return Verdict::launch_error;
        case FindingKind::barrier_divergence: return Verdict::barrier_divergence;
        // That a kernel stops or hangs is judged where it runs without checkers.
        default: return Verdict::accepted;
    }
}

/// The same without threads, indices and sizes, which tell something about the data.
std::string without_data(FindingKind kind) {
    switch (kind) {
        case FindingKind::shared_race:
            return "two threads of a block access one place in shared memory, one of them writes, "
                   "and no barrier lies between";
        case FindingKind::global_race:
            return "two threads access one place in global memory, one of them writes, and nothing "
                   "orders them";
        case FindingKind::missing_syncwarp:
            return "two lanes of a warp access one place, one of them writes, and no __syncwarp() "
                   "lies between";
        case FindingKind::lost_update:
            return "two threads store to one place, at least one of them through volatile, which "
                   "orders nothing and makes nothing atomic: one of the two is lost";
        case FindingKind::uninitialised_read: return "a thread reads what nobody has written";
        case FindingKind::hangs_before_volta:
            return "lanes of a warp spin for what another lane of it holds: this hangs on devices "
                   "before Volta";
        case FindingKind::races_unwatched:
            return "the threads pass on more through locks than can be followed: races behind this "
                   "place are not found";
        default: return std::string(meaning(verdict_of(kind)));
    }
}

SourceLocation location_of(const emulator::Place& place) {
    return {as_submitted(place.file), place.line, place.column};
}

void judge_case(const emulator::FindingList& list, CaseOutcome& result) {
    // The first one of the worst verdict is its reason. Where threads of a block race, so do lanes
    // of a warp, and what helps the block helps them, but not the other way round.
    std::vector<std::reference_wrapper<const Finding>> ordered(list.all.begin(), list.all.end());
    std::ranges::stable_partition(ordered, [](const Finding& finding) {
        return finding.kind != FindingKind::missing_syncwarp;
    });
    for (const Finding& finding : ordered) {
        const Verdict verdict = verdict_of(finding.kind);
        // The host's warnings are for programs of one's own.
        const bool warning = finding.kind == FindingKind::hangs_before_volta ||
                             finding.kind == FindingKind::races_unwatched;
        if (verdict == Verdict::accepted && !warning) continue;
        const bool hidden = result.visibility == Visibility::hidden;
        CheckerFinding said{.kind = std::string(emulator::name_of(finding.kind)),
                            .message = hidden ? without_data(finding.kind) : finding.message,
                            .warning = warning,
                            .location = {},
                            .second_location = {}};
        if (finding.place.line > 0) said.location = location_of(finding.place);
        if (finding.second && finding.second->line > 0)
            said.second_location = location_of(*finding.second);
        if (worst(result.verdict, verdict) != result.verdict) {
            result.verdict = verdict;
            result.message = said.message;
            result.location = said.location;
        }
        result.findings.push_back(std::move(said));
    }
}

}  // namespace

Status check_cases(const TaskRun& run, const SessionOptions& options, TaskOutcome& outcome) {
    // Watching takes time that the limits of grading do not allow for.
    SessionOptions patient = options;
    patient.limits.wall_s *= 10;
    patient.limits.warp_instructions = std::min<std::uint64_t>(
        patient.limits.warp_instructions, warp_instructions_per_byte * run.options->check_bytes);
    std::unique_ptr<Session> session;
    for (CaseOutcome& result : outcome.cases) {
        const auto spec = std::ranges::find(run.task->cases, result.id, &CaseSpec::id);
        const bool came_back = result.verdict == Verdict::accepted ||
                               result.verdict == Verdict::wrong_answer ||
                               result.verdict == Verdict::unwritten_output ||
                               result.verdict == Verdict::nondeterministic;
        if (!came_back || spec->needs_gpu) continue;
        auto data = make_case(*run.assignment, *run.task, *spec, *run.options);
        if (!data) return data.error();
        if (total_bytes(*data) > run.options->check_bytes) continue;
        if (!session) {
            auto opened = open_emulator_session(patient);
            if (!opened) return opened.error();
            session = std::move(*opened);
            auto defined = session->has_function(*run.task);
            if (!defined) return defined.error();
            if (!*defined) return Done{};
        }
        if (auto status = session->check(); !status) return status;
        auto prepared = prepare(*session, *run.task, *data, patient.limits, {});
        if (!prepared) return prepared.error();
        auto call = session->call(prepared->request);
        if (!call) return call.error();
        // Killed for its wall time, it may have left the emulator in the middle of a launch.
        if (call->verdict == Verdict::time_limit && !call->location) {
            session.reset();
            continue;
        }
        auto list = session->findings();
        if (!list) return list.error();
        judge_case(*list, result);
        if (call->verdict != Verdict::accepted)
            session.reset();
        else if (auto status = session->clear(); !status)
            return status;
    }
    return Done{};
}

}  // namespace cugrade

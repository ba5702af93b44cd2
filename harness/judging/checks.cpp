// A result can be right by luck: two threads that race, in the order that this device happens to
// choose, or a sum that starts from memory which happens to be zero. The checkers see what a kernel
// does instead of what comes out.
//
// Theory of operation. A case that was judged is run again in a session of its own, always on the
// emulated GPU as compute_75 and under one schedule, so that the verdict is the same on every
// machine. Outputs are not filled there: to read one before it is written is an error like any
// other. Only small cases are run, and each launch has a budget of instructions, both to bound the
// time: a kernel that exceeds it is judged by the findings until then. A case that the checkers
// cannot run at all (the emulator lacks an instruction) has no finding.
#include "judging/checks.hpp"

#include <algorithm>
#include <functional>
#include <iterator>

#include <fmt/format.h>

#include "backend/emulator/emulator_session.hpp"
#include "build/build.hpp"

namespace cugrade {
namespace {

using emulator::Finding;
using emulator::FindingKind;

/// The budget of one launch for each byte of --check-bytes, whatever the case's own size.
constexpr std::uint64_t warp_instructions_per_byte = 8;

/// What grading makes of a finding.
struct GradedFinding {
    FindingKind kind;
    enum class As {
        verdict,     ///< lowers the case's verdict
        warning,     ///< is shown, and costs nothing
        not_graded,  ///< is of `cugrade run` alone, or judged in the run without checkers
    } as = As::not_graded;
    Verdict verdict = Verdict::accepted;
    /// The message for a hidden case: no threads, indices and sizes, which would reveal data.
    /// Empty: the verdict's meaning.
    std::string_view without_data = {};
};

constexpr GradedFinding graded_findings[] = {
    {FindingKind::shared_race, GradedFinding::As::verdict, Verdict::data_race,
     "two threads of a block access one place in shared memory, one of them writes, and no barrier "
     "lies between"},
    {FindingKind::global_race, GradedFinding::As::verdict, Verdict::data_race,
     "two threads access one place in global memory, one of them writes, and nothing orders them"},
    {FindingKind::missing_syncwarp, GradedFinding::As::verdict, Verdict::data_race,
     "two lanes of a warp access one place, one of them writes, and no __syncwarp() lies between"},
    {FindingKind::lost_update, GradedFinding::As::verdict, Verdict::data_race,
     "two threads store to one place, at least one of them through volatile, which orders nothing "
     "and makes nothing atomic: one of the two is lost"},
    {FindingKind::missing_atomic, GradedFinding::As::verdict, Verdict::data_race,
     "two threads read, change and write one word at once, and what one of them writes is lost: "
     "use an atomic, or a place for each thread"},
    {FindingKind::uninitialised_read, GradedFinding::As::verdict, Verdict::uninitialised_read,
     "a thread reads what nobody has written"},
    {FindingKind::out_of_bounds, GradedFinding::As::verdict, Verdict::out_of_bounds},
    {FindingKind::freed_memory, GradedFinding::As::verdict, Verdict::out_of_bounds},
    {FindingKind::misaligned, GradedFinding::As::verdict, Verdict::launch_error},
    {FindingKind::barrier_divergence, GradedFinding::As::verdict, Verdict::barrier_divergence,
     "threads of a block wait at different barriers, or some lanes of a warp end without coming to "
     "a barrier or a shuffle at which the others count on them"},
    {FindingKind::mask_without_caller, GradedFinding::As::verdict, Verdict::barrier_divergence,
     "a thread calls a warp-level function with a mask that does not name it"},
    {FindingKind::inactive_lane_read, GradedFinding::As::verdict, Verdict::uninitialised_read,
     "a shuffle asks a lane that takes no part in it, and what it gets, which is undefined, is "
     "used"},
    {FindingKind::deadlock},
    {FindingKind::livelock},
    {FindingKind::budget},
    {FindingKind::trap},
    {FindingKind::stack_overflow},
    {FindingKind::unsupported},
    {FindingKind::hangs_before_volta, GradedFinding::As::warning, Verdict::accepted,
     "lanes of a warp spin for what another lane of it holds: this hangs on devices before Volta"},
    {FindingKind::same_value_stores},
    {FindingKind::races_unwatched, GradedFinding::As::warning, Verdict::accepted,
     "the threads pass on more through locks than can be followed: races behind this place are not "
     "found"},
    {FindingKind::unwritten_copy},
    {FindingKind::never_freed},
    {FindingKind::unchecked_error},
};
static_assert(std::size(graded_findings) == static_cast<std::size_t>(FindingKind::count));
static_assert([] {
    for (std::size_t n = 0; n < std::size(graded_findings); ++n)
        if (graded_findings[n].kind != static_cast<FindingKind>(n)) return false;
    return true;
}());

SourceLocation location_of(const emulator::Place& place) {
    return {as_submitted(place.file), place.line, place.column};
}

void judge_case(const emulator::FindingList& list, CaseOutcome& result) {
    // The first one of the worst verdict is its reason. A missing __syncwarp comes last: where
    // threads of a block race as well, __syncthreads cures both, but __syncwarp only the race in
    // the warp.
    std::vector<std::reference_wrapper<const Finding>> ordered(list.all.begin(), list.all.end());
    std::ranges::stable_partition(ordered, [](const Finding& finding) {
        return finding.kind != FindingKind::missing_syncwarp;
    });
    for (const Finding& finding : ordered) {
        const GradedFinding& graded = graded_findings[static_cast<std::size_t>(finding.kind)];
        if (graded.as == GradedFinding::As::not_graded) continue;
        const Verdict verdict = graded.verdict;
        std::string message = finding.message;
        if (result.visibility == Visibility::hidden)
            message = graded.without_data.empty() ? meaning(verdict) : graded.without_data;
        CheckerFinding said{.kind = std::string(emulator::name_of(finding.kind)),
                            .message = std::move(message),
                            .warning = graded.as == GradedFinding::As::warning,
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
        if (run.cases->bytes_of(*spec) > run.options->check_bytes) continue;
        auto made = run.cases->find(*spec);
        if (!made) return made.error();
        const CaseData& data = (*made)->data();
        if (total_bytes(data) > run.options->check_bytes) continue;
        if (!session) {
            auto opened = open_emulator_session(patient);
            if (!opened) return opened.error();
            session = std::move(*opened);
            auto defined = session->has_function(*run.task);
            if (!defined) return defined.error();
            if (!*defined) return Done{};
        }
        if (auto status = session->check(); !status) return status.error();
        auto prepared = prepare(*session, *run.task, data, patient.limits, {});
        if (!prepared) return prepared.error();
        auto call = session->call(prepared->request);
        if (!call) return call.error();
        // A runner killed for its wall time may have left the emulator in the middle of a launch.
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

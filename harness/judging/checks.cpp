// A result can be right by luck: two threads that race, in the order that this device happens to
// choose, or a sum that starts from memory which happens to be zero. The checkers see what a kernel
// does instead of what comes out.
//
// Theory of operation. A case that was judged is run again in a session of its own, always on the
// emulated GPU as compute_75 and under one schedule, so that the verdict is the same on every
// machine. Outputs are not filled there: to read one before it is written is an error like any
// other. Only small cases are run, and each launch has a budget of instructions, both to bound the
// time: a kernel that exceeds it without a finding is watched once more, with what it took without
// the checkers. A case that the emulator cannot run at all (it lacks an instruction) has no
// finding.
//
// The checkers only watch, and the emulated GPU is exact. So a call that ends otherwise under them
// than without them, answers otherwise or does less has noticed them, and is judged by what it does
// there.
#include "judging/checks.hpp"

#include <algorithm>
#include <functional>
#include <iterator>

#include <fmt/format.h>

#include "backend/emulator/emulator_session.hpp"
#include "build/build.hpp"
#include "core/rounding.hpp"

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
    // Races bring a message of their own for that.
    {FindingKind::shared_race, GradedFinding::As::verdict, Verdict::data_race},
    {FindingKind::global_race, GradedFinding::As::verdict, Verdict::data_race},
    {FindingKind::missing_syncwarp, GradedFinding::As::verdict, Verdict::data_race},
    {FindingKind::lost_update, GradedFinding::As::verdict, Verdict::data_race},
    {FindingKind::missing_atomic, GradedFinding::As::verdict, Verdict::data_race},
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
    {FindingKind::lock_order},  // and the next four: of launches that have failed anyhow
    {FindingKind::lock_taken_twice},
    {FindingKind::lock_not_released},
    {FindingKind::lock_per_lane},
    {FindingKind::lock_not_initialised},
    {FindingKind::deadlock},
    {FindingKind::livelock},
    {FindingKind::budget},
    {FindingKind::trap},
    {FindingKind::stack_overflow},
    {FindingKind::unsupported},
    {FindingKind::hangs_before_volta, GradedFinding::As::warning, Verdict::accepted,
     "lanes of a warp spin for what another lane of it holds: this hangs on devices before Volta"},
    {FindingKind::same_value_stores},
    {FindingKind::used_without_lock},
    {FindingKind::unread_stores},
    {FindingKind::races_unwatched, GradedFinding::As::warning, Verdict::accepted,  // but see Doubt
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

CheckerFinding as_told(const Finding& finding, Visibility visibility) {
    const GradedFinding& graded = graded_findings[static_cast<std::size_t>(finding.kind)];
    std::string message = finding.message;
    if (visibility == Visibility::hidden)
        message = !finding.without_data.empty() ? finding.without_data
                  : graded.without_data.empty() ? std::string(meaning(graded.verdict))
                                                : std::string(graded.without_data);
    CheckerFinding said{.kind = std::string(emulator::name_of(finding.kind)),
                        .message = std::move(message),
                        .warning = graded.as == GradedFinding::As::warning,
                        .location = {},
                        .second_location = {}};
    if (finding.place.line > 0) said.location = location_of(finding.place);
    if (finding.second && finding.second->line > 0)
        said.second_location = location_of(*finding.second);
    return said;
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
        CheckerFinding said = as_told(finding, result.visibility);
        if (worst(result.verdict, verdict) != result.verdict) {
            result.verdict = verdict;
            result.message = said.message;
            result.location = said.location;
        }
        result.findings.push_back(std::move(said));
    }
}

/// The part of a plain call's instructions that the same call has to execute under the checkers,
/// which only watch. In all 2428 cases of right and slow test submissions it is all of them.
constexpr double least_work = 0.99;
/// Where a kernel spends the checkers' budget before anything is found, the call is checked again
/// with what it took without them, up to so many times the limit of one launch in a whole task.
constexpr std::uint64_t second_looks = 2;
/// A case that got no second look is put before a person where the function does more than
/// comparing each element with each other takes, in so many instructions: work that keeps the
/// checkers busy.
constexpr std::uint64_t instructions_per_pair = 16;
constexpr std::uint64_t instructions_for_nothing = 1'000'000;
/// A check may take the limit of one call and so many times what the call took without checkers.
/// Chosen: they make a kernel some 10 to 40 times as slow.
constexpr double watched_slowdown = 100;

/// The cases of one task under the checkers.
class CheckedTask {
public:
    CheckedTask(const TaskRun& run, const SessionOptions& options, TaskOutcome& outcome)
        : run_(run), patient_(options), outcome_(outcome) {
        // Watching takes time that the limits of grading do not allow for.
        wall_s_ = options.limits.wall_s;
        patient_.limits.wall_s = longest_wall_s_ = 10 * wall_s_;
        limit_ = options.limits.warp_instructions;
        budget_ =
            std::min<std::uint64_t>(limit_, warp_instructions_per_byte * run.options->check_bytes);
        left_ = second_looks * limit_;
    }

    Status all_cases() {
        const CaseOutcome* hung = nullptr;
        const auto leave_out = [&hung](CaseOutcome& result) {
            if (result.verdict != Verdict::accepted) return;
            result.verdict = hung->verdict;
            result.message = fmt::format(
                "not checked, because case {} did not come back from its check", hung->id);
        };
        for (CaseOutcome& result : outcome_.cases) {
            const auto spec = std::ranges::find(run_.task->cases, result.id, &CaseSpec::id);
            if (!is_checked(*spec, result)) continue;
            if (hung != nullptr) {
                leave_out(result);
                continue;
            }
            auto made = run_.cases->find(*spec);
            if (!made) return made.error();
            if (total_bytes((*made)->data()) > run_.options->check_bytes) continue;
            const auto came_back = one_case(*made, result);
            if (!came_back) return came_back.error();
            if (!*came_back) hung = &result;
        }
        // Those that need least come first, so that no case takes the looks of all others.
        std::ranges::stable_sort(unfinished_, {}, [](const Unfinished& one) {
            return one.plain.work.warp_instructions;
        });
        for (const Unfinished& one : unfinished_) {
            if (hung != nullptr) {
                leave_out(*one.result);
                continue;
            }
            const auto came_back = look_again(one);
            if (!came_back) return came_back.error();
            if (!*came_back) hung = one.result;
        }
        // Where something is wrong anyway, nobody needs to look.
        if (std::ranges::all_of(outcome_.cases, [](const CaseOutcome& one) {
                return worst(one.verdict, Verdict::accepted) == Verdict::accepted ||
                       one.verdict == Verdict::skipped;
            }))
            for (const Doubt& doubt : doubts_)
                charge(*doubt.result, Verdict::suspicious, doubt.message, doubt.location);
        return Done{};
    }

private:
    [[nodiscard]] bool is_checked(const CaseSpec& spec, const CaseOutcome& result) const {
        const bool came_back = result.verdict == Verdict::accepted ||
                               result.verdict == Verdict::wrong_answer ||
                               result.verdict == Verdict::unwritten_output ||
                               result.verdict == Verdict::nondeterministic;
        return came_back && !spec.needs_gpu &&
               run_.cases->bytes_of(spec) <= run_.options->check_bytes;
    }

    /// The call that nobody watches, on the emulated GPU as compute_75.
    struct PlainCall {
        DeviceWork work;
        bool came_back = false;  ///< and was accepted; else there is no work
    };

    struct Checked {
        CallOutcome call;
        std::optional<emulator::FindingList> list;  ///< none: the call took too much time or memory
        Judgement judgement;
    };

    /// A case whose first look ended with the checkers' budget, and nothing found.
    struct Unfinished {
        std::shared_ptr<MadeCase> made;
        CaseOutcome* result;
        PlainCall plain;
        Checked first;
    };

    /// A case that was not watched to its end. It is put before a person if nothing else is wrong
    /// with the task: keeping the checkers busy would else pay.
    struct Doubt {
        CaseOutcome* result;
        std::string message;
        std::optional<SourceLocation> location;
    };

    /// False if the call took more time or memory than the checkers have.
    Result<bool> one_case(const std::shared_ptr<MadeCase>& made, CaseOutcome& result) {
        auto plain = plain_call(*made, result);
        if (!plain) return plain.error();
        auto checked = call_patiently(*made, result, budget_);
        if (!checked) return checked.error();
        if (!is_out_of_budget(*checked)) return judge_look(*checked, *plain, result);
        unfinished_.push_back({made, &result, std::move(*plain), std::move(*checked)});
        return true;
    }

    /// The same of its second look.
    Result<bool> look_again(const Unfinished& one) {
        CaseOutcome& result = *one.result;
        const std::uint64_t plain_work = one.plain.work.warp_instructions;
        const std::uint64_t enough = std::min(limit_, plain_work + plain_work / 8 + budget_);
        if (enough > left_) {
            (void)judge_look(one.first, one.plain, result);
            const std::uint64_t elements = largest_argument(*run_.task, *one.made->data().spec);
            if (plain_work >
                instructions_for_nothing + instructions_per_pair * elements * elements / 32)
                doubts_.push_back({&result,
                                   fmt::format("the function takes {} warp instructions for {} "
                                               "elements, more than could be watched",
                                               told(plain_work), elements),
                                   {}});
            return true;
        }
        left_ -= enough;
        const auto checked = call_patiently(*one.made, result, enough);
        if (!checked) return checked.error();
        if (is_out_of_budget(*checked) && enough < limit_)
            charge(result, Verdict::tampering,
                   fmt::format("the function does more while it is watched: a launch took {} warp "
                               "instructions, and all launches together {} else",
                               told(enough), told(plain_work)),
                   checked->call.location);
        return judge_look(*checked, one.plain, result);
    }

    /// The same of one look.
    bool judge_look(const Checked& checked, const PlainCall& plain, CaseOutcome& result) {
        if (!checked.list) {
            charge(result, checked.call.verdict, checked.call.message, {});
            return false;
        }
        judge_case(*checked.list, result);
        const std::string unwatched(emulator::name_of(FindingKind::races_unwatched));
        if (const auto found = std::ranges::find(result.findings, unwatched, &CheckerFinding::kind);
            found != result.findings.end())
            doubts_.push_back({&result, found->message, found->location});
        if (result.verdict == Verdict::accepted) judge_call(checked, plain, result);
        return true;
    }

    Result<Checked> call_patiently(MadeCase& made, const CaseOutcome& result,
                                   std::uint64_t budget) {
        // A function that sleeps where it is watched would else hold up a class.
        patient_.limits.wall_s =
            std::min(longest_wall_s_, wall_s_ + watched_slowdown * result.seconds);
        return call(made, budget);
    }

    static bool is_out_of_budget(const Checked& checked) {
        return checked.call.verdict == Verdict::time_limit && checked.list &&
               nothing_found(*checked.list);
    }

    static bool nothing_found(const emulator::FindingList& list) {
        return std::ranges::none_of(
            list.all, [](const Finding& finding) { return is_charged(finding.kind); });
    }

    /// What happens only under the checkers counts: else a submission that notices them would lose
    /// nothing.
    void judge_call(const Checked& checked, const PlainCall& plain, CaseOutcome& result) const {
        const CallOutcome& call = checked.call;
        const bool hidden = result.visibility == Visibility::hidden;
        if (call.verdict == Verdict::skipped) {
            if (plain.came_back)
                charge(result, Verdict::tampering,
                       hidden ? call.message_without_data() : call.message,
                       hidden ? call.location_without_data() : call.location);
            return;
        }
        if (call.verdict == Verdict::time_limit) return;  // of the checkers' own budget
        if (call.verdict != Verdict::accepted)
            return charge(result, call.verdict,
                          hidden ? call.message_without_data() : call.message + call.said,
                          call.location);
        if (call.work && (call.work->launches < plain.work.launches ||
                          number(call.work->warp_instructions) <
                              least_work * number(plain.work.warp_instructions)))
            return charge(
                result, Verdict::tampering,
                fmt::format("the function does less while it is watched: {} launches with {} warp "
                            "instructions, and {} with {} else",
                            told(call.work->launches), told(call.work->warp_instructions),
                            told(plain.work.launches), told(plain.work.warp_instructions)),
                {});
        if (checked.judgement.verdict != Verdict::accepted)
            charge(result, checked.judgement.verdict,
                   hidden ? checked.judgement.hidden_message : checked.judgement.message, {});
    }

    /// In a hidden case, too.
    static std::uint64_t told(std::uint64_t count) { return rounded(count, 2); }

    static double number(std::uint64_t n) { return static_cast<double>(n); }

    static void charge(CaseOutcome& result, Verdict verdict, const std::string& message,
                       const std::optional<SourceLocation>& location) {
        if (result.verdict != Verdict::accepted) return;
        result.verdict = verdict;
        result.message = "under the checkers, and not without them: " + message;
        result.location = location;
    }

    Result<PlainCall> plain_call(MadeCase& made, const CaseOutcome& result) {
        if (result.verdict != Verdict::accepted) return PlainCall{};
        // Only the same PTX gives the same counts.
        if (result.work && run_.session.ptx_arch == patient_.ptx_arch)
            return PlainCall{*result.work, true};
        auto session = open(limit_);
        if (!session) return session.error();
        if (!*session) return PlainCall{};
        const auto poison = made.poison();
        if (!poison) return poison.error();
        auto prepared = prepare(**session, *run_.task, made.data(), patient_.limits, **poison);
        if (!prepared) return prepared.error();
        auto call = (*session)->call(prepared->request);
        if (!call) return call.error();
        if (call->verdict != Verdict::accepted) return PlainCall{};
        return PlainCall{call->work.value_or(DeviceWork{}), true};
    }

    /// Nothing if the function is not defined.
    Result<std::unique_ptr<Session>> open(std::uint64_t budget) const {
        SessionOptions options = patient_;
        options.limits.warp_instructions = budget;
        auto opened = open_emulator_session(options);
        if (!opened) return opened.error();
        auto defined = (*opened)->has_function(*run_.task);
        if (!defined) return defined.error();
        if (!*defined) opened->reset();
        return opened;
    }

    Result<Checked> call(MadeCase& made, std::uint64_t budget) {
        if (session_ == nullptr || budget != budget_of_session_) {
            auto opened = open(budget);
            if (!opened) return opened.error();
            session_ = std::move(*opened);
            budget_of_session_ = budget;
        }
        Checked out;
        if (session_ == nullptr) {
            out.call.verdict = Verdict::skipped;
            out.list.emplace();
            return out;
        }
        const CaseData& data = made.data();
        if (auto status = session_->check(); !status) return status.error();
        auto prepared = prepare(*session_, *run_.task, data, patient_.limits, {});
        if (!prepared) return prepared.error();
        auto called = session_->call(prepared->request);
        if (!called) return called.error();
        out.call = std::move(*called);
        // A runner killed for its wall time may have left the emulator in the middle of a launch;
        // and an emulator without memory has ended itself.
        if ((out.call.verdict == Verdict::time_limit && !out.call.location) ||
            out.call.verdict == Verdict::memory_limit) {
            session_.reset();
            return out;
        }
        auto list = session_->findings();
        if (!list) return list.error();
        out.list = std::move(*list);
        if (out.call.verdict != Verdict::accepted) {
            session_.reset();
            return out;
        }
        const auto answered = made.answered();
        if (!answered) return answered.error();
        Outputs outputs;
        auto judged = judge(*session_, *run_.task, *run_.assignment, data, (*answered)->expected,
                            {}, *prepared, outputs);
        if (!judged) return judged.error();
        out.judgement = std::move(*judged);
        if (auto status = session_->clear(); !status) return status.error();
        return out;
    }

    const TaskRun& run_;
    SessionOptions patient_;
    TaskOutcome& outcome_;
    double wall_s_ = 0;          ///< of grading, for one call
    double longest_wall_s_ = 0;  ///< of a check
    std::uint64_t limit_ = 0;    ///< of grading, for one launch
    std::uint64_t budget_ = 0;   ///< of the checkers, for one launch
    std::uint64_t left_ = 0;     ///< for second looks
    std::vector<Unfinished> unfinished_;
    std::vector<Doubt> doubts_;
    std::unique_ptr<Session> session_;
    std::uint64_t budget_of_session_ = 0;
};

}  // namespace

SourceLocation location_of(const emulator::Place& place) {
    return {as_submitted(place.file), place.line, place.column};
}

bool is_charged(FindingKind kind) {
    return graded_findings[static_cast<std::size_t>(kind)].as == GradedFinding::As::verdict;
}

std::vector<CheckerFinding> charged_findings(const emulator::FindingList& list,
                                             Visibility visibility) {
    std::vector<CheckerFinding> out;
    for (const Finding& finding : list.all)
        if (is_charged(finding.kind)) out.push_back(as_told(finding, visibility));
    return out;
}

Status check_cases(const TaskRun& run, const SessionOptions& options, TaskOutcome& outcome) {
    return CheckedTask(run, options, outcome).all_cases();
}

}  // namespace cugrade

#include "judging/experiment.hpp"

#include <algorithm>
#include <ranges>

#include "backend/emulator/emulator_session.hpp"
#include "judging/checks.hpp"
#include "judging/lock_causes.hpp"
#include "judging/reorder.hpp"

namespace cugrade {
namespace {

/// What has mended a failing case is tried on: up to so many times the budget.
constexpr double overdraft = 1.5;
/// So many failing cases have to be mended where the budget ends before the last one.
constexpr int enough_mended = 4;
/// What it costs to start a session and to move the data of a small case: some 8 ms.
constexpr std::uint64_t work_of_start = 350'000;
/// The same in a session that is open.
constexpr std::uint64_t work_of_change = 60'000;
/// A launch may take so many times what the case took, and this at least.
constexpr std::uint64_t patience = 4;
constexpr std::uint64_t least_budget = 400'000;
/// Under another schedule a launch may take so many times longer.
constexpr std::uint64_t other_order_factor = 8;
/// Under the checkers each instruction takes so many times longer.
constexpr std::uint64_t watched_factor = 8;
/// Of the look under the checkers at a case that comes to no end. Chosen.
constexpr std::uint64_t most_of_look = 1'000'000;
/// Where that shows nothing of locks: looks under other schedules. Chosen.
constexpr std::uint64_t further_looks = 2;
/// A wall clock for what is no work of the emulated GPU, and what running into it costs.
constexpr double longest_call_s = 1.5;
constexpr std::uint64_t work_of_longest_call = Experiments::as_graded;
/// The same where a kernel hangs, which the emulated GPU's own count ends: other work on the
/// machine must not change what is found.
constexpr double longest_hang_s = 8;
/// What moving and comparing data costs: so many bytes as much as one warp instruction. Chosen:
/// some 200 MB/s where Experiments::as_graded takes 2 s.
constexpr std::size_t bytes_per_work = 16;
/// Of the one large case that is tried for a launch that is refused.
constexpr std::size_t most_large_bytes = std::size_t{64} << 20;
/// Where all that fails is large: so many are tried, of so much work each. Chosen: one change costs
/// a thirtieth of the budget.
constexpr std::size_t most_light = 2;
constexpr std::uint64_t light_work = Experiments::as_graded / 30;
/// Of the cases that were right.
constexpr std::size_t most_kept = 4;

/// The case as a function gets it that takes an input's elements in another order than it should.
CaseData with_order(const CaseData& data, const Reordered& reordered) {
    CaseData out = data;
    const auto found = out.buffers.find(reordered.argument);
    if (found == out.buffers.end()) return out;
    found->second = reordered.transposed ? transposed(found->second) : reversed(found->second);
    return out;
}

}  // namespace

class Experiments::Bench {
public:
    Bench(const TaskRun& run, const SessionOptions& options, const TaskOutcome& outcome,
          std::uint64_t all_work)
        : run_(run), options_(options), outcome_(outcome), all_work_(all_work) {
        options_.limits.wall_s = std::min(options_.limits.wall_s, longest_call_s);
    }

    Result<bool> can_begin() {
        for (const CaseOutcome& result : outcome_.cases) {
            const auto spec = std::ranges::find(run_.task->cases, result.id, &CaseSpec::id);
            if (spec == run_.task->cases.end() || spec->needs_gpu) continue;
            const bool right = result.verdict == Verdict::accepted;
            if (!right && !may_be_mended(result)) continue;
            const auto bytes = run_.cases->bytes_of(*spec);
            const bool is_large = !bytes || *bytes > run_.options->check_bytes;
            if (is_large) {
                const bool is_refused = is_refused_launch(result);
                if (bytes && !right && (is_refused || is_light(result, *bytes)))
                    large_.push_back({&*spec, &result, *bytes, is_refused});
                continue;
            }
            (right ? right_ : failing_).push_back({&*spec, &result, *bytes});
        }
        std::ranges::stable_sort(failing_, {}, &Subject::bytes);
        std::ranges::stable_sort(right_, {}, &Subject::bytes);
        std::ranges::stable_sort(large_, {}, &Subject::bytes);
        if (failing_.empty() && !large_.empty() && large_.front().bytes <= most_large_bytes) {
            // A launch that is refused for large data alone costs little, and one case shows it.
            const bool is_refused = large_.front().is_large;
            for (const Subject& subject : large_)
                if (subject.is_large == is_refused &&
                    failing_.size() < (is_refused ? 1 : most_light))
                    failing_.push_back(subject);
            untried_ = large_.size() - failing_.size();
        }
        if (failing_.empty()) {
            const auto stuck = std::ranges::find_if(large_, [](const Subject& subject) {
                return is_stuck(*subject.result) && subject.bytes <= most_large_bytes;
            });
            if (stuck != large_.end()) stuck_ = *stuck;
            return false;
        }
        // The largest of the small ones shows most: whole tiles, several blocks.
        if (right_.size() > most_kept)
            right_.erase(right_.begin(), right_.end() - static_cast<std::ptrdiff_t>(most_kept));
        return look_at_failures();
    }

    Result<std::vector<CheckerFinding>> watch() {
        std::vector<CheckerFinding> none;
        if (failing_.empty() && !stuck_) return none;
        const Subject& subject = failing_.empty() ? *stuck_ : failing_.front();
        const auto is_charged_for = [](const CheckerFinding& one) { return !one.warning; };
        if (std::ranges::any_of(subject.result->findings, is_charged_for)) return none;
        const auto made = run_.cases->find(*subject.spec);
        if (!made) return made.error();
        const bool depends_on_schedule =
            is_stuck(*subject.result) || subject.result->verdict == Verdict::nondeterministic;
        const std::uint64_t last = depends_on_schedule ? further_looks : 0;
        for (std::uint64_t seed = 0; seed <= last; ++seed) {
            const auto findings = look(*subject.result, (*made)->data(), seed);
            if (!findings) return findings.error();
            if (!*findings) return none;
            seen_ = (*findings)->all;
            std::vector<CheckerFinding> charged =
                charged_findings(**findings, subject.result->visibility);
            // A circle of locks may close under another schedule, and others come in between.
            if (!charged.empty() || is_told_of_locks(seen_) || unlocked_cause(seen_))
                return charged;
        }
        return none;
    }

    [[nodiscard]] int failing() const { return static_cast<int>(failing_.size() + untried_); }
    [[nodiscard]] int smallest() const { return failing_.front().result->id; }

    Result<bool> mends(const Change& change) {
        mended_ = kept_ = 0;
        if (is_over()) return false;
        if (!change.apart && !change.behind_others && is_the_same_in_one_process()) {
            const auto once = is_right_in(*first_wrong_, change, failing_.front());
            if (!once || !*once) return once;
            session_.reset();  // what mends has to do so in a process of its own
        }
        // The smallest failing case tells most changes apart. What was right comes next, because
        // the budget may end with the large ones.
        for (std::size_t n = 0; n < failing_.size(); ++n) {
            if (is_over()) return mended_ >= enough_mended;
            const auto right = is_right(change, failing_[n], is_watched(failing_[n], failing_));
            // What a case takes that never came to its end is not known: it may be more than this.
            if (right && !*right && is_cut_short_ && mended_ >= enough_mended &&
                !came_back(*failing_[n].result))
                return true;
            if (!right || !*right) return right;
            ++mended_;
            if (n > 0 || change.spares_right) continue;
            for (const Subject& subject : right_) {
                const auto still = is_right(change, subject, is_watched(subject, right_));
                if (!still || !*still) return still;
                ++kept_;
            }
        }
        return true;
    }

    Result<bool> tells_apart(const Change& probe) {
        mended_ = kept_ = 0;
        if (right_.empty()) return false;
        session_.reset();
        for (const Subject& subject : failing_) {
            if (mended_ == enough_mended) break;
            if (subject.result->verdict == Verdict::launch_error) return false;
            const auto right = is_right_in({}, probe, subject);
            if (!right) return right;
            if (*right || last_.verdict != Verdict::launch_error) return false;
            ++mended_;
        }
        for (const Subject& subject : right_) {
            const auto right = is_right_in({}, probe, subject);
            if (!right || !*right) return right;
            ++kept_;
        }
        return mended_ > 0;
    }

    [[nodiscard]] bool is_over() const {
        return static_cast<double>(spent_) >=
               (mended_ > 0 ? overdraft : 1) * static_cast<double>(all_work_);
    }

    std::vector<emulator::Intervention> possible_;
    int right_alone_ = 0;
    std::vector<emulator::Finding> seen_;
    int mended_ = 0;
    int kept_ = 0;
    std::uint64_t spent_ = 0;

private:
    struct Subject {
        const CaseSpec* spec;
        const CaseOutcome* result;
        std::size_t bytes;
        bool is_large = false;  ///< too large for the checkers
    };

    /// How a case is run.
    struct Run {
        bool in_other_order = false;
        bool watched = false;  ///< by the checkers
    };

    struct Seen {
        Verdict verdict = Verdict::accepted;  ///< before the results were looked at
        bool has_failed_calls = false;
        std::uint64_t warp_instructions = 0;
        std::size_t findings = 0;
        Outputs outputs;
        bool operator==(const Seen&) const = default;
    };

    /// What the checkers see under a schedule; nothing, if there is nobody left to ask.
    Result<std::optional<emulator::FindingList>> look(const CaseOutcome& result,
                                                      const CaseData& data, std::uint64_t seed) {
        const bool is_hanging = is_stuck(result);
        // Who waits for what shows early.
        const auto session =
            session_for({}, is_hanging ? most_of_look : budget_for(result, true), true);
        if (!session) return session.error();
        ended_ = is_watching_ = true;
        if (auto status = (*session)->check(Session::Checking::for_wrong_result); !status)
            return status.error();
        auto prepared = prepare(**session, *run_.task, data, options_.limits, {});
        if (!prepared) return prepared.error();
        prepared->request.schedule_seed = seed;
        if (is_hanging && result.location) prepared->request.wall_s = longest_hang_s;
        const auto called = (*session)->call(prepared->request);
        if (!called) return called.error();
        // Killed in the middle of a launch.
        if (called->verdict == Verdict::memory_limit ||
            (called->verdict == Verdict::time_limit && !called->location))
            return std::optional<emulator::FindingList>();
        auto findings = (*session)->findings();
        if (!findings) return findings.error();
        return std::optional(*std::move(findings));
    }

    static bool is_stuck(const CaseOutcome& result) {
        return result.verdict == Verdict::time_limit || result.verdict == Verdict::deadlock;
    }

    /// What the host's side of it shows: a launch whose numbers cannot be.
    static bool is_refused_launch(const CaseOutcome& result) {
        return !is_stuck(result) && result.host.kernel.empty() &&
               result.host.failed_call.find(": kernel launch: ") != std::string::npos;
    }

    /// Whether many changes can be tried on it.
    static bool is_light(const CaseOutcome& result, std::size_t bytes) {
        return result.work && result.work->warp_instructions + bytes / bytes_per_work <= light_work;
    }

    /// A case that was not run, or that ended for reasons which no change of the execution takes
    /// away.
    static bool may_be_mended(const CaseOutcome& result) {
        switch (result.verdict) {
            case Verdict::wrong_answer:
            case Verdict::unwritten_output:
            case Verdict::nondeterministic:
            case Verdict::uninitialised_read:
            case Verdict::data_race:
            case Verdict::out_of_bounds:
            case Verdict::barrier_divergence:
            case Verdict::deadlock:
            case Verdict::time_limit:
            case Verdict::launch_error: return result.seed != 0 || !result.data_sha256.empty();
            default: return false;
        }
    }

    /// Keeps those that fail here, too, where nothing is changed.
    Result<bool> look_at_failures() {
        std::vector<Subject> again;
        int tried = 0;
        for (const Subject& subject : failing_) {
            const auto right = is_right({}, subject, true);
            if (!right) return right.error();
            if (!*right) again.push_back(subject);
            ++tried;
            if (is_over()) break;
            // Where one fails alone, the others are not right for being alone.
            goes_on_ = !again.empty();
        }
        goes_on_ = false;
        session_.reset();
        const bool is_enough =
            tried > 1 && (tried == static_cast<int>(failing_.size()) || tried >= enough_mended);
        if (again.empty() && is_enough && std::ranges::all_of(failing_, [](const Subject& subject) {
                return subject.result->work.has_value();
            }))
            right_alone_ = tried;
        if (right_alone_ > 0) return look_at_later_calls();
        failing_ = std::move(again);
        spent_ = 0;  // what follows has the same budget, however many cases there are
        return !failing_.empty();
    }

    /// Keeps those of what is right alone that fail behind other calls. False: nothing fails alone.
    Result<bool> look_at_later_calls() {
        Change later;
        later.behind_others = true;
        std::vector<Subject> wrong;
        for (const Subject& subject : failing_) {
            const auto right = is_right(later, subject, false);
            if (!right) return right.error();
            if (!*right) wrong.push_back(subject);
            if (is_over()) break;
        }
        session_.reset();
        failing_ = std::move(wrong);
        spent_ = 0;
        return false;
    }

    /// Whether the smallest failing case does the same in a process that has done other work
    /// before, if its device variables are set back. Then changes are tried one after the other in
    /// one process, which takes a fraction of the time: to start another one takes longer than a
    /// small case does.
    bool is_the_same_in_one_process() {
        if (is_looked_at_) return goes_on_;
        is_looked_at_ = true;
        const Subject& subject = failing_.front();
        if (subject.is_large) return false;
        goes_on_ = true;
        for (const Run run : {Run{}, Run{.in_other_order = true}, Run{.watched = true}}) {
            session_.reset();
            const auto right = is_right_in(run, {}, subject);
            if (right && *right) continue;
            goes_on_ = right && !ended_ && does_the_same_again(run, subject);
            first_wrong_ = run;
            break;
        }
        goes_on_ = goes_on_ && first_wrong_;
        session_.reset();
        return goes_on_;
    }

    /// In the session that is open.
    bool does_the_same_again(const Run& run, const Subject& subject) {
        const Seen first = std::exchange(last_, {});
        const auto again = [&](const Subject& one) {
            ended_ = ended_ || !session_->change({}, budget_);
            return is_right_in(run, {}, one);
        };
        if (!right_.empty()) {
            const auto right = again(right_.front());
            if (!right || !*right) return false;
        }
        const auto right = again(subject);
        return right && !*right && !ended_ && last_ == first;
    }

    static bool needs_checkers(const CaseOutcome& result) {
        return std::ranges::any_of(result.findings,
                                   [](const CheckerFinding& finding) { return !finding.warning; });
    }

    /// The checkers cost most. A change that makes a race makes it in the first or the last case.
    static bool is_watched(const Subject& subject, const std::vector<Subject>& all) {
        return needs_checkers(*subject.result) || &subject == &all.front() ||
               &subject == &all.back();
    }

    /// Whether a case is right with the change. Ends where the first run is wrong.
    Result<bool> is_right(const Change& change, const Subject& subject, bool watched) {
        const auto made = run_.cases->find(*subject.spec);
        if (!made) return made.error();
        const std::uint64_t other = other_order_of(**made);
        if (subject.is_large) return call(change, **made, *subject.result, 0, false);
        for (const std::uint64_t seed : {std::uint64_t{0}, other}) {
            const auto right = call(change, **made, *subject.result, seed, false);
            if (right && !*right && seed != 0 && is_cut_short_ && came_back(*subject.result))
                break;  // who waits how long depends on the schedule; without the change, too
            if (!right || !*right) return right;
        }
        const bool is_too_much = watched_factor * last_.warp_instructions > all_work_;
        if (!watched || is_too_much) return true;
        return call(change, **made, *subject.result, 0, true);
    }

    Result<bool> is_right_in(const Run& run, const Change& change, const Subject& subject) {
        const auto made = run_.cases->find(*subject.spec);
        if (!made) return made.error();
        return call(change, **made, *subject.result,
                    run.in_other_order ? other_order_of(**made) : 0, run.watched);
    }
    static std::uint64_t other_order_of(MadeCase& made) { return made.data().seed | 1; }

    /// Else what it took says nothing about what it takes where it is right.
    static bool came_back(const CaseOutcome& result) {
        const Verdict verdict = result.verdict;
        return verdict == Verdict::accepted || verdict == Verdict::wrong_answer ||
               verdict == Verdict::unwritten_output || verdict == Verdict::nondeterministic ||
               verdict == Verdict::uninitialised_read || verdict == Verdict::data_race ||
               // What a checker has seen ends nothing.
               (verdict == Verdict::barrier_divergence && !result.findings.empty());
    }

    /// Where nothing mends it, it does so again, and costs little.
    static bool ends_early(const CaseOutcome& result) {
        const Verdict verdict = result.verdict;
        return verdict == Verdict::launch_error || verdict == Verdict::deadlock ||
               (result.findings.empty() &&
                (verdict == Verdict::out_of_bounds || verdict == Verdict::barrier_divergence));
    }

    [[nodiscard]] std::uint64_t budget_for(const CaseOutcome& result, bool watched) const {
        const std::uint64_t plain =
            came_back(result) && result.work ? result.work->warp_instructions : 0;
        // What a case takes whose kernel has failed, or was never begun, is not known.
        const bool is_refused = result.verdict != Verdict::accepted && is_refused_launch(result);
        const std::uint64_t most = is_refused           ? 2 * all_work_
                                   : ends_early(result) ? all_work_ / 4
                                                        : std::max(least_budget, patience * plain);
        return std::min(most, options_.limits.warp_instructions) / (watched ? 2 : 1) +
               (watched ? plain : 0);
    }

    /// `watched`: the checkers look on from now until its end.
    Result<Session*> session_for(const Change& change, std::uint64_t budget, bool watched) {
        const bool is_free = session_ != nullptr && !ended_ && watched >= is_watching_;
        if (is_free && !change.apart) {
            if (change_->interventions == change.interventions && budget <= budget_)
                return session_.get();
            if (goes_on_ && session_->change(change.interventions, budget)) {
                spent_ += work_of_change;
                budget_ = budget;
                change_ = std::make_unique<Change>(change);
                return session_.get();
            }
        }
        session_.reset();
        spent_ += work_of_start;
        SessionOptions options = options_;
        options.limits.warp_instructions = budget_ = budget;
        options.interventions = change.interventions;
        auto opened = open_emulator_session(options, idle_);
        if (!opened) return opened.error();
        const auto defined = (*opened)->has_function(*run_.task);
        if (!defined) return defined.error();
        session_ = std::move(*opened);
        change_ = std::make_unique<Change>(change);
        ended_ = is_watching_ = false;
        return session_.get();
    }

    Result<bool> call(const Change& change, MadeCase& made, const CaseOutcome& result,
                      std::uint64_t seed, bool watched) {
        // How long threads wait for a lock depends on the order in which they come.
        const std::uint64_t more = seed != 0 ? other_order_factor : 1;
        if (change.behind_others) session_.reset();
        const auto session = session_for(change, more * budget_for(result, watched), watched);
        if (!session) return session.error();
        if (change.behind_others) {
            const auto ended = call_others(**session, change, made, seed);
            if (!ended || !*ended) return ended;
        }
        const auto right = call_in(**session, change, made, seed, watched);
        // What has failed ends a session.
        const bool has_failed = last_.verdict != Verdict::accepted || last_.has_failed_calls;
        if (!right || (!*right && (has_failed || !goes_on_))) ended_ = true;
        return right;
    }

    /// Itself, so that there is memory enough, and another case, so that what lies there is not its
    /// own. False: one of them has not come to an end.
    Result<bool> call_others(Session& session, const Change& change, MadeCase& made,
                             std::uint64_t seed) {
        const auto first = call_in(session, change, made, seed, false);
        if (!first || last_.verdict != Verdict::accepted) return first ? false : first;
        for (const std::vector<Subject>* list : {&failing_, &right_})
            for (const Subject& subject : *list) {
                const auto other = run_.cases->find(*subject.spec);
                if (!other) return other.error();
                if (&**other == &made || subject.is_large) continue;
                const auto done = call_in(session, change, **other, seed, false);
                if (!done) return done;
                return last_.verdict == Verdict::accepted;
            }
        return true;
    }

    Result<bool> call_in(Session& session, const Change& change, MadeCase& made, std::uint64_t seed,
                         bool watched) {
        is_watching_ = is_watching_ || watched;
        if (watched)
            if (auto status = session.check(); !status) return status.error();
        const auto poison = made.poison();
        if (!poison) return poison.error();
        Outputs begin = watched ? Outputs() : **poison;
        if (change.zeroed_outputs) begin = zeros_like(**poison);
        CaseData reordered;
        const CaseData& data = change.reordered.argument.empty()
                                   ? made.data()
                                   : (reordered = with_order(made.data(), change.reordered));
        auto prepared = prepare(session, *run_.task, data, options_.limits, begin);
        if (!prepared) return prepared.error();
        prepared->request.schedule_seed = seed;
        const auto called = session.call(prepared->request);
        if (!called) return called.error();
        is_cut_short_ = called->verdict == Verdict::time_limit;
        last_ = {called->verdict,
                 !called->host.failed_call.empty(),
                 called->work ? called->work->warp_instructions : 0,
                 0,
                 {}};
        const std::uint64_t work = called->work ? called->work->warp_instructions : budget_;
        const bool took_longest = is_cut_short_ && !called->work;
        spent_ += (took_longest ? work_of_longest_call : (watched ? watched_factor : 1) * work) +
                  total_bytes(made.data()) / bytes_per_work;
        if (possible_.empty() && change.interventions.empty()) {
            auto possible = session.possible_interventions();
            if (!possible) return possible.error();
            possible_ = std::move(*possible);
        }
        if (called->verdict != Verdict::accepted) return false;
        if (watched) {
            const auto findings = session.findings();
            if (!findings) return findings.error();
            last_.findings = findings->all.size();
            if (std::ranges::any_of(findings->all, [](const emulator::Finding& finding) {
                    return is_charged(finding.kind);
                }))
                return false;
        }
        const auto answered = made.answered();
        if (!answered) return answered.error();
        const auto judged =
            judge(session, *run_.task, *run_.assignment, data, (*answered)->expected, begin,
                  *prepared, last_.outputs, Judging::verdict_alone);
        if (!judged) return judged.error();
        if (auto status = session.clear(); !status) return status.error();
        return judged->verdict == Verdict::accepted;
    }

    static Outputs zeros_like(const Outputs& outputs) {
        Outputs out;
        for (const auto& [name, array] : outputs)
            out.emplace(name, Array(array.dtype, array.shape));
        return out;
    }

    const TaskRun& run_;
    SessionOptions options_;
    const TaskOutcome& outcome_;
    const std::uint64_t all_work_;  ///< the budget
    std::vector<Subject> failing_, right_, large_;
    std::optional<Subject> stuck_;  ///< a large one, where no small one fails
    std::size_t untried_ = 0;       ///< large ones that fail
    std::shared_ptr<IdleEmulator> idle_ = std::make_shared<IdleEmulator>();
    std::unique_ptr<Session> session_;
    std::unique_ptr<Change> change_;  ///< of the session
    std::uint64_t budget_ = 0;        ///< of the session
    bool ended_ = false;              ///< the session takes no other call
    bool is_cut_short_ = false;       ///< the last call was
    bool is_watching_ = false;        ///< so do the checkers, until the session's end
    /// A wrong result does not end the session, and another change can follow in it.
    bool goes_on_ = false;
    bool is_looked_at_ = false;       ///< whether it may
    std::optional<Run> first_wrong_;  ///< in which the smallest failing case is wrong
    Seen last_;                       ///< of the last call
};

Experiments::Experiments(const TaskRun& run, const SessionOptions& options,
                         const TaskOutcome& outcome, std::uint64_t budget)
    : bench_(std::make_unique<Bench>(run, options, outcome, budget)) {}
Experiments::~Experiments() = default;
Result<bool> Experiments::can_begin() { return bench_->can_begin(); }
bool Experiments::fails_later() const { return bench_->right_alone_ > 0 && bench_->failing() > 0; }
const std::vector<emulator::Intervention>& Experiments::possible() const {
    return bench_->possible_;
}
Result<bool> Experiments::mends(const Change& change) { return bench_->mends(change); }
Result<bool> Experiments::tells_apart(const Change& probe) { return bench_->tells_apart(probe); }
const std::vector<emulator::Finding>& Experiments::seen() const { return bench_->seen_; }
bool Experiments::is_over() const { return bench_->is_over(); }
std::uint64_t Experiments::spent() const { return bench_->spent_; }
Result<std::vector<CheckerFinding>> Experiments::watch() { return bench_->watch(); }
int Experiments::smallest() const { return bench_->smallest(); }
int Experiments::mended() const { return bench_->mended_; }
int Experiments::kept() const { return bench_->kept_; }
int Experiments::right_alone() const { return bench_->right_alone_; }
int Experiments::failing() const { return bench_->failing(); }

}  // namespace cugrade

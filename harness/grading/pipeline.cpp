// Grading, from top to bottom: choose, describe, build, run and compare, check, count, time, score.
#include "grading/pipeline.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "backend/backend.hpp"
#include "backend/emulator/emulator_session.hpp"
#include "build/build.hpp"
#include "build/device_code.hpp"
#include "build/build_submission.hpp"
#include "core/clock.hpp"
#include "core/in_parallel.hpp"
#include "core/shell.hpp"
#include "grading/control.hpp"
#include "grading/prepared_cases.hpp"
#include "grading/speed.hpp"
#include "judging/case.hpp"
#include "judging/causes.hpp"
#include "judging/checks.hpp"
#include "judging/excerpt.hpp"
#include "judging/host_work.hpp"
#include "judging/source_places.hpp"
#include "judging/task_profile.hpp"
#include "judging/task_runner.hpp"
#include "judging/technique.hpp"
#include "scoring/score.hpp"
#include "timing/modelling.hpp"

namespace cugrade {
namespace {

namespace fs = std::filesystem;

/// The compute capability as which all submissions are counted and checked.
constexpr int counted_arch = 75;

/// The emulated compute capability that comes nearest to what a target is graded as: no newer.
int emulated_arch_of(const BuildTarget& target) {
    const int graded = target.emulates(counted_arch) ? counted_arch : target.archs.front();
    int out = counted_arch;
    for (const int arch : emulated_archs)
        if (arch <= graded) out = std::max(out, arch);
    return out;
}

std::vector<const TaskSpec*> choose_tasks(const AssignmentSpec& assignment,
                                          const GradeOptions& options) {
    std::vector<const TaskSpec*> out;
    for (const TaskSpec& task : assignment.tasks)
        if (options.tasks.empty() ||
            std::ranges::find(options.tasks, task.name) != options.tasks.end())
            out.push_back(&task);
    return out;
}

/// Every case of the task ends like this, without being run.
TaskOutcome same_for_all(const TaskSpec& task, Verdict verdict, const std::string& message) {
    TaskOutcome out{.name = task.name};
    for (const CaseSpec& spec : task.cases) {
        CaseOutcome outcome{.id = spec.id, .visibility = spec.visibility};
        outcome.verdict = verdict;
        if (verdict == Verdict::skipped)
            outcome.not_judged = {NotJudged::Why::other, message};
        else
            outcome.message = message;
        out.cases.push_back(std::move(outcome));
    }
    return out;
}

/// Runs and compares the cases of a task, with a device that nobody else grades on meanwhile.
Status run_on_device(const Course& course, TaskRun& run, TaskOutcome& outcome) {
    const auto cases = [&](ReadyCases ready) -> Status {
        auto ran = run_task(run, std::move(ready));
        if (!ran) return ran.error();
        outcome = std::move(*ran);
        return Done{};
    };
    if (run.backend->shared_devices() == 0 || !run.defined) return cases({});
    const auto place = run.backend->wait_for_place(Backend::For::cases);
    auto ready = ready_cases(run);  // while others have the device
    if (!ready) return ready.error();
    double held_s = 0;
    const auto use = [&](const GpuInfo& device) {
        run.session = on(device, run.session);
        return cases(std::move(*ready));
    };
    auto status = run.backend->with_device(course.home, use, &held_s);
    outcome.gpu_s = held_s;
    return status;
}

/// The largest public case for the emulated GPU whose result is right.
std::optional<int> case_to_count(const TaskSpec& task, const TaskOutcome& outcome) {
    const CaseSpec* chosen = nullptr;
    for (const CaseSpec& spec : task.cases) {
        const auto judged = std::ranges::find(outcome.cases, spec.id, &CaseOutcome::id);
        if (spec.needs_gpu || spec.visibility == Visibility::hidden ||
            judged == outcome.cases.end() || judged->verdict != Verdict::accepted)
            continue;
        if (chosen == nullptr || largest_argument(task, spec) > largest_argument(task, *chosen))
            chosen = &spec;
    }
    if (chosen == nullptr) return std::nullopt;
    return chosen->id;
}

/// Gives the case that was right before what became of it when it was counted on other data.
void charge_counted_case(const TaskProfile& profile, int id, Verdict verdict,
                         TaskOutcome& outcome) {
    CaseOutcome& judged = *std::ranges::find(outcome.cases, id, &CaseOutcome::id);
    const bool came_back = profile.call.verdict == Verdict::accepted;
    judged.verdict = verdict;
    judged.message =
        "when its work was counted, on other data of this size: " +
        (came_back ? profile.judgement.hidden_message : profile.call.message_without_data());
    judged.location = profile.call.location_without_data();
}

/// Counts the kernels' work if the task has points for technique.
Status count_technique(const SessionOptions& session, const TaskRun& run, const TaskPolicy& policy,
                       TaskOutcome& outcome) {
    if (policy.technique <= 0 || credited_share(*run.task, policy, outcome.cases) <= 0)
        return Done{};
    const auto id = case_to_count(*run.task, outcome);
    if (!id) return Done{};
    const auto counted = std::ranges::find(run.task->cases, *id, &CaseSpec::id);
    // On other data than the student has: answers written into the source are wrong there.
    CaseSpec secret = *counted;
    secret.for_model = true;
    auto data = make_case(*run.assignment, *run.task, secret, *run.options);
    if (!data) return data.error();
    MadeCase made(*run.assignment, std::move(*data));
    auto profiled = profile_case(session, *run.assignment, made, Session::Counting::plain);
    if (!profiled) return profiled.error();
    if (!*profiled) return Done{};
    const TaskProfile& profile = **profiled;
    if (profile.call.verdict == Verdict::skipped) {
        const auto judged = std::ranges::find(outcome.cases, *id, &CaseOutcome::id);
        if (judged->work && run.session.ptx_arch == session.ptx_arch)
            charge_counted_case(profile, *id, Verdict::suspicious, outcome);
        return Done{};
    }
    if (const Verdict verdict = worst(profile.call.verdict, profile.judgement.verdict);
        verdict != Verdict::accepted) {
        charge_counted_case(profile, *id, verdict, outcome);
        return Done{};
    }
    outcome.counters = cugrade::count_technique(profile);
    outcome.host_work = host_work_of(*run.task, secret, profile.counts);
    return Done{};
}

/// Tells the report why right results earn no points for technique.
std::string host_work_note(const std::string& task, const HostWork& work) {
    return fmt::format("{}: {}, {}: no points for technique or modelled speed", task, work.why,
                       done_on_the_host);
}

std::string doubt_note(const std::string& task, const TimingOutcome& timing) {
    return fmt::format("{}: {}; so all counts are taken to grow in proportion to the data at least",
                       task, timing.doubt);
}

/// One submission on its way to a report. The phases are called in the order in which they stand.
class Grading {
public:
    Grading(const Course& course, const AssignmentSpec& assignment, const fs::path& source,
            const GradeOptions& options, const Backend& backend)
        : course_(course),
          assignment_(assignment),
          source_(source),
          options_(options),
          backend_(backend),
          policy_(course.policy.assignments.at(assignment.id)),
          tasks_(choose_tasks(assignment, options)),
          outcomes_(tasks_.size()),
          budget_(policy_.limits.total_s > 0 ? std::make_shared<TimeBudget>(policy_.limits.total_s)
                                             : nullptr) {
        for (const TaskSpec* task : tasks_)
            cases_.push_back(std::make_unique<CaseStore>(assignment_, *task, options_));
    }

    /// The submission, the back end and the rules of this grading.
    /// `no_sandbox`: the submission ran without one, for this reason, which may be empty.
    Status describe(const std::optional<std::string>& no_sandbox) {
        auto hash = submission_sha256(source_);
        if (!hash) return hash.error();
        report_.assignment = assignment_.id;
        report_.assignment_title = assignment_.title;
        report_.submission_file = source_.filename().string();
        report_.submission_sha256 = *hash;
        report_.student = options_.student;
        report_.provenance = provenance(course_, backend_);
        report_.policy_sha256 = course_.policy.sha256;
        report_.replay = replay_command();
        if (no_sandbox)
            report_.notes.push_back(
                "the submission ran without a sandbox, as the user who graded it" +
                (no_sandbox->empty() ? "" : ": " + *no_sandbox));
        int withheld = 0;
        for (const TaskSpec* task : tasks_) withheld += task->withheld;
        if (withheld > 0)
            report_.notes.push_back(fmt::format(
                "{} hidden case{} not here, so the points for right results are those of the "
                "public ones",
                withheld, withheld == 1 ? " is" : "s are"));
        else if (options_.secret.empty())
            report_.notes.push_back(
                "hidden cases use the development secret: not for official grades");
        return Done{};
    }

    /// Builds for the back end. If that fails, all cases of all tasks get the build's verdict.
    Status build() {
        if (options_.progress) options_.progress("compiling");
        auto built = build_under_rules();
        if (prepared_) prepared_->stop();
        if (!built) return built.error();
        if (built->failure) {
            report_.compile_output = built->failure->compiler_output;
            for (std::size_t i = 0; i < tasks_.size(); ++i)
                outcomes_[i] =
                    same_for_all(*tasks_[i], built->failure->verdict, built->failure->message);
        } else {
            build_ = std::move(*built->build);
            report_.compile_output = build_->compiler_output;
            report_.phases.push_back(
                {build_->from_cache ? "compile (cached)" : "compile", build_->compile_s});
            report_.phases.push_back({"link", build_->link_s});
        }
        return Done{};
    }
    [[nodiscard]] bool has_executable() const { return build_.has_value(); }

    /// Runs one task at a time on each shared device, so that tasks do not disturb each other.
    Status run_and_compare() {
        const auto start = Clock::now();
        const int threads = threads_of_each(
            options_.emulator_threads, std::min(static_cast<int>(tasks_.size()), options_.jobs));
        SessionOptions sessions =
            session_options(course_, *build_, policy_.limits, options_, threads);
        sessions.budget = budget_;
        const auto defined = backend_.has_functions(sessions, tasks_);
        if (!defined) return defined.error();
        for (std::size_t i = 0; i < tasks_.size(); ++i) {
            runs_.push_back({.assignment = &assignment_,
                             .task = tasks_[i],
                             .limits = &policy_.limits,
                             .options = &options_,
                             .backend = &backend_,
                             .cases = cases_[i].get(),
                             .session = sessions,
                             .defined = (*defined)[i]});
        }
        return for_all_tasks(
            "run and compare", start, backend_.tasks_at_once(options_.jobs),
            [&](std::size_t i) { return run_on_device(course_, runs_[i], outcomes_[i]); });
    }

    /// The build for checkers and counters, which run on the emulated GPU as compute_75 on every
    /// machine so that points agree. Checkers also watch the PTX for the architecture that is
    /// graded, if that is another one: a source can have other code for it. Nothing if it does not
    /// compile.
    Status build_for_checks() {
        const int graded = emulated_arch_of(backend_.target());
        const std::vector<std::vector<int>> choices =
            graded == counted_arch
                ? std::vector<std::vector<int>>{{counted_arch}}
                : std::vector<std::vector<int>>{{counted_arch, graded}, {graded}};
        for (const std::vector<int>& archs : choices) {
            BuildTarget target = backend_.target();
            if (!std::ranges::all_of(archs, [&](int arch) { return target.emulates(arch); }))
                target = {.archs = archs};
            auto built = cugrade::build(course_.home, course_.toolchain, request(target));
            if (!built) return built.error();
            if (!built->build) continue;
            for (const int arch : archs)
                (arch == counted_arch ? on_emulator_ : as_graded_) =
                    SessionOptions{.home = &course_.home,
                                   .executable = built->build->executable,
                                   .limits = policy_.limits,
                                   .ptx_arch = arch,
                                   .budget = budget_,
                                   .keeper = options_.keeper};
            break;
        }
        return Done{};
    }

    /// What cannot be built costs no marks: nothing more can be proven then.
    std::optional<SessionOptions> build_as_written() {
        const BuildTarget target{.archs = {counted_arch}};
        auto code = device_code_as_written(course_.home, course_.toolchain, request(target),
                                           on_emulator_->executable, counted_arch);
        if (!code || !*code) return std::nullopt;
        SessionOptions out = *on_emulator_;
        out.device_code = std::make_shared<const std::vector<std::string>>(**std::move(code));
        return out;
    }

    Status check() {
        if (!on_emulator_ && !as_graded_) return Done{};
        return for_all_tasks("check", Clock::now(), options_.jobs, [&](std::size_t i) -> Status {
            const auto all_right = [](const TaskOutcome& outcome) {
                return std::ranges::all_of(outcome.cases, [](const CaseOutcome& one) {
                    return one.verdict == Verdict::accepted || one.verdict == Verdict::skipped;
                });
            };
            if (on_emulator_)
                if (auto status = check_cases(runs_[i], *on_emulator_, outcomes_[i]); !status)
                    return status;
            if (!as_graded_ || (on_emulator_ && !all_right(outcomes_[i]))) return Done{};
            TaskOutcome checked = outcomes_[i];
            if (auto status = check_cases(runs_[i], *as_graded_, checked); !status) return status;
            // Warnings are the same again.
            if (!on_emulator_ || !all_right(checked)) outcomes_[i] = std::move(checked);
            return Done{};
        });
    }

    Status count() {
        if (!on_emulator_) return Done{};
        return for_all_tasks("count", Clock::now(), options_.jobs, [&](std::size_t i) {
            return count_technique(*on_emulator_, runs_[i], policy_.tasks.at(tasks_[i]->name),
                                   outcomes_[i]);
        });
    }

    /// For a submission on which cugrade fails, and on no other.
    void give_to_a_person(const std::string& trouble) {
        for (std::size_t i = 0; i < tasks_.size(); ++i)
            outcomes_[i] = same_for_all(
                *tasks_[i], Verdict::suspicious,
                fmt::format("cugrade failed twice on this submission, and not on the course's own "
                            "program in between: {}",
                            trouble));
        say_what_is_untimed();
        report_.notes.push_back(
            "this submission is worth nothing until a person has looked at it: cugrade fails on it "
            "and on no other");
    }

    /// Runs for wrong tasks too: it decides whether their points for speed can be lost.
    void say_what_is_untimed() {
        for (std::size_t i = 0; i < tasks_.size(); ++i)
            if (!outcomes_[i].untimed)
                outcomes_[i].untimed = why_untimed(course_, backend_, *tasks_[i], options_);
    }

    Status time() {
        const bool measured = backend_.measures_time();
        const SpeedOf of{.submission = &*build_, .on_emulator = on_emulator_};
        counted_.resize(tasks_.size());
        return for_all_tasks(
            measured ? "time" : "model", Clock::now(), backend_.tasks_at_once(options_.jobs),
            [&](std::size_t i) {
                if (options_.progress && measured)
                    options_.progress(fmt::format("{}/{} timing", assignment_.id, tasks_[i]->name));
                return judge_speed(course_, runs_[i], of, outcomes_[i], counted_[i]);
            });
    }

    /// Looks for the causes of tasks that failed or are slow, and quotes the lines of the source
    /// that they are about.
    Status explain() {
        const auto has_failed = [](const TaskOutcome& outcome) {
            return std::ranges::any_of(outcome.cases, [](const CaseOutcome& one) {
                return one.verdict != Verdict::accepted && one.verdict != Verdict::skipped;
            });
        };
        std::vector<bool> slow;
        for (std::size_t i = 0; i < tasks_.size(); ++i)
            slow.push_back(!runs_.empty() &&
                           is_right_but_slow(policy_.tasks.at(tasks_[i]->name), outcomes_[i]));
        if (std::ranges::none_of(outcomes_, has_failed) && std::ranges::count(slow, true) == 0)
            return Done{};
        const auto submission = read_submission(source_);
        if (!submission) return submission.error();
        const auto scanned = legible(submission->files);
        std::once_flag once;
        std::optional<SessionOptions> as_written;
        const Laboratory laboratory{.graded = on_emulator_ ? &*on_emulator_ : nullptr,
                                    .as_written = [&]() -> const SessionOptions* {
                                        std::call_once(once,
                                                       [&] { as_written = build_as_written(); });
                                        return as_written ? &*as_written : nullptr;
                                    }};
        if (auto status =
                for_all_tasks("explain", Clock::now(), options_.jobs,
                              [&](std::size_t i) -> Status {
                                  find_causes(runs_.empty() ? nullptr : &runs_[i], laboratory,
                                              scanned, report_.compile_output, outcomes_[i]);
                                  if (slow[i] && outcomes_[i].causes.empty())
                                      explain_speed(course_, runs_[i], {nullptr, on_emulator_},
                                                    std::move(counted_[i]), scanned, outcomes_[i]);
                                  return Done{};
                              });
            !status)
            return status;
        for (TaskOutcome& outcome : outcomes_)
            for (Cause& cause : outcome.causes)
                cause.excerpt = excerpt_of(cause, submission->files);
        return Done{};
    }

    Report score() {
        for (std::size_t i = 0; i < tasks_.size(); ++i)
            if (const auto why = forbidden_.find(tasks_[i]->name); why != forbidden_.end())
                outcomes_[i] = same_for_all(*tasks_[i], Verdict::forbidden, why->second);
        for (std::size_t i = 0; i < tasks_.size(); ++i)
            report_.tasks.push_back(
                score_task(*tasks_[i], policy_.tasks.at(tasks_[i]->name), std::move(outcomes_[i])));
        for (const TaskReport& task : report_.tasks)
            if (task.outcome.host_work)
                report_.notes.push_back(host_work_note(task.name, *task.outcome.host_work));
        for (const TaskReport& task : report_.tasks)
            if (task.outcome.timing && !task.outcome.timing->doubt.empty())
                report_.notes.push_back(doubt_note(task.name, *task.outcome.timing));
        report_.score = total(report_.tasks);
        report_.verdict = Verdict::accepted;
        for (const TaskReport& task : report_.tasks)
            report_.verdict = worst(report_.verdict, task.verdict);
        for (std::string& note : backend_.notes()) report_.notes.push_back(std::move(note));
        return std::move(report_);
    }

private:
    /// Holds the submission to all rules at once. If it breaks some, each task with rules of its
    /// own is held to these, and loses its own points only.
    Result<BuildOutcome> build_under_rules() {
        BuildRequest all = request(backend_.target());
        const auto of_a_task = [](const SourceRule& rule) { return !rule.task.empty(); };
        const auto of_others = [this](const SourceRule& rule) {
            return !rule.task.empty() &&
                   std::ranges::find(tasks_, rule.task, &TaskSpec::name) == tasks_.end();
        };
        std::erase_if(all.forbidden, of_others);
        auto built = cugrade::build(course_.home, course_.toolchain, all);
        const bool broken =
            built && built->failure && built->failure->verdict == Verdict::forbidden;
        if (!broken || std::ranges::none_of(all.forbidden, of_a_task)) {
            rules_ = std::move(all.forbidden);
            return built;
        }
        std::erase_if(rules_, of_a_task);
        for (const TaskSpec* task : tasks_) {
            BuildRequest own = all;
            std::erase_if(own.forbidden,
                          [task](const SourceRule& rule) { return rule.task != task->name; });
            if (own.forbidden.empty()) continue;
            auto held = cugrade::build(course_.home, course_.toolchain, own);
            if (!held) return held;
            if (held->failure && held->failure->verdict == Verdict::forbidden)
                forbidden_[task->name] = held->failure->message;
        }
        return cugrade::build(course_.home, course_.toolchain, request(backend_.target()));
    }

    [[nodiscard]] BuildRequest request(const BuildTarget& target) {
        return {.source = source_,
                .assignment = &assignment_,
                .target = target,
                .limits = policy_.limits,
                .keeper = options_.keeper,
                .forbidden = rules_,
                .is_known = build_.has_value(),
                .meanwhile = [this] { prepare(); }};
    }

    /// Begins to make the cases, and then the enclosures that sessions need, while there is
    /// something else to wait for. What fails is the error of the phase that needs it.
    void prepare() {
        if (prepared_) return;
        const auto sessions = [this] {
            if (options_.keeper != nullptr)
                (void)prepare_emulator_sessions(
                    *options_.keeper, std::min(options_.jobs, static_cast<int>(tasks_.size())));
        };
        if (runs_.empty())
            prepared_.emplace(cases_, options_.timing && !backend_.measures_time(), sessions);
        else  // the first build was in the cache, and the phases use the cases
            sessions();
    }

    template <class F>
    Status for_all_tasks(const char* phase, Clock::time_point start, int at_once, F&& f) {
        auto status = in_parallel(tasks_.size(), at_once, f);
        if (status) report_.phases.push_back({phase, seconds_since(start)});
        return status;
    }

    [[nodiscard]] std::string replay_command() const {
        std::string out = fmt::format("cugrade check {} -a {} --backend {}{}",
                                      shell_word(source_.filename().string()), assignment_.id,
                                      backend_.name(), backend_.replay_options());
        if (options_.check_bytes != default_check_bytes)
            out += fmt::format(" --check-bytes {}", options_.check_bytes);
        if (options_.explore > 0) out += fmt::format(" --explore {}", options_.explore);
        if (!options_.timing) out += " --no-timing";
        for (const auto& task : options_.tasks) out += " --task " + task;
        if (!options_.student.empty()) out += " --student " + shell_word(options_.student);
        if (!options_.secret.empty()) out += " --secret-file FILE";
        return out;
    }

    const Course& course_;
    const AssignmentSpec& assignment_;
    const fs::path& source_;
    const GradeOptions& options_;
    const Backend& backend_;
    const AssignmentPolicy& policy_;
    const std::vector<const TaskSpec*> tasks_;
    std::vector<TaskOutcome> outcomes_;              ///< of each task
    std::vector<std::unique_ptr<CaseStore>> cases_;  ///< of each task, as runs_
    std::optional<PreparedCases> prepared_;          ///< begun when the first compiler was
    std::vector<TaskRun> runs_;                      ///< of each task, once there is an executable
    std::vector<std::optional<ModelCounts>> counted_;    ///< of each task whose speed was modelled
    std::vector<SourceRule> rules_ = policy_.forbidden;  ///< that every build is held to
    std::map<std::string, std::string> forbidden_;  ///< task -> which rule of its own it breaks
    std::optional<Build> build_;
    std::optional<SessionOptions> on_emulator_;  ///< for checks and counts, as counted_arch
    std::optional<SessionOptions> as_graded_;    ///< for checks as another architecture
    std::shared_ptr<TimeBudget> budget_;         ///< of all calls; none: the policy has no limit
    Report report_;
};

/// One grading, from the source to the points.
Result<Report> grade_once(const Course& course, const AssignmentSpec& assignment,
                          const fs::path& source, const GradeOptions& given,
                          const Backend& backend) {
    const auto start = Clock::now();
    auto isolated = sandbox::isolate(course.home.libexec, given.isolation);
    if (!isolated) return isolated.error();
    GradeOptions options = given;
    options.keeper = isolated->keeper.get();
    Grading grading(course, assignment, source, options, backend);

    const auto no_sandbox =
        isolated->keeper == nullptr ? std::optional(isolated->why_not) : std::nullopt;
    if (auto s = grading.describe(no_sandbox); !s) return s.error();
    if (auto s = grading.build(); !s) return s.error();
    if (grading.has_executable()) {
        if (auto s = grading.run_and_compare(); !s) return s.error();
        if (auto s = grading.build_for_checks(); !s) return s.error();
        if (auto s = grading.check(); !s) return s.error();
        if (auto s = grading.count(); !s) return s.error();
    }
    grading.say_what_is_untimed();
    if (grading.has_executable())
        if (auto s = grading.time(); !s) return s.error();
    if (auto s = grading.explain(); !s) return s.error();
    Report report = grading.score();
    report.seconds = seconds_since(start);
    return report;
}

/// A GPU that need not be in this machine, to compile for.
class CompiledFor final : public Backend {
public:
    explicit CompiledFor(int arch)
        : target_{.backend = BuildTarget::Backend::gpu, .archs = {arch}} {}
    std::string_view name() const override { return "gpu"; }
    void describe(Provenance&) const override {}
    std::vector<Part> examine(const Home&) const override { return {}; }
    const BuildTarget& target() const override { return target_; }
    bool measures_time() const override { return true; }
    bool repeats_exactly() const override { return false; }
    bool runs_large_cases() const override { return true; }
    Result<std::unique_ptr<Session>> open(const SessionOptions&) const override {
        return Error{.message = "this GPU is only compiled for"};
    }

private:
    BuildTarget target_;
};

}  // namespace

std::optional<double> longest_grading_s(const Limits& limits) {
    constexpr double compilations = 4, tries = 3;  // compile and link, for two targets
    if (limits.total_s <= 0) return std::nullopt;
    return tries * (compilations * limits.compile_wall_s + limits.total_s);
}

Result<Report> grade(const Course& course, const AssignmentSpec& assignment, const fs::path& source,
                     const GradeOptions& options) {
    const auto backend = choose_backend(options);
    if (!backend) return backend.error();
    const auto once = [&](const fs::path& file) -> Result<Report> {
        try {
            return grade_once(course, assignment, file, options, **backend);
        } catch (const std::exception& error) {
            return Error{.message = error.what()};
        }
    };
    auto first = once(source);
    if (!trouble_of(first)) return first;
    // Is it the machine, or this submission? A program of the course's own tells, and a second try.
    const auto control = Control::make(course, assignment);
    if (!control) return first;
    if (options.progress) options.progress("that failed: trying the baseline, then once more");
    if (const auto other = once(control->program()); !other || trouble_of(other)) return first;
    auto second = once(source);
    const auto again = trouble_of(second);
    if (!again) return second;
    Grading grading(course, assignment, source, options, **backend);
    if (auto s = grading.describe(std::nullopt); !s) return s.error();
    grading.give_to_a_person(*again);
    return grading.score();
}

Status compile_only(const Course& course, const AssignmentSpec& assignment, const fs::path& source,
                    const GradeOptions& given, int gpu_arch) {
    Result<std::unique_ptr<Backend>> backend = std::unique_ptr<Backend>();
    if (gpu_arch > 0)
        backend = std::unique_ptr<Backend>(std::make_unique<CompiledFor>(gpu_arch));
    else
        backend = choose_backend(given);
    if (!backend) return backend.error();
    auto isolated = sandbox::isolate(course.home.libexec, given.isolation);
    if (!isolated) return isolated.error();
    GradeOptions options = given;
    options.keeper = isolated->keeper.get();
    Grading grading(course, assignment, source, options, **backend);
    if (auto s = grading.build(); !s || !grading.has_executable()) return s;
    return grading.build_for_checks();
}

}  // namespace cugrade

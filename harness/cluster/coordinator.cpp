#include "cluster/coordinator.hpp"

#include <unistd.h>

#include <algorithm>
#include <optional>
#include <span>
#include <thread>

#include <fmt/format.h>

#include "core/files.hpp"
#include "core/in_parallel.hpp"
#include "core/printable.hpp"
#include "core/shell.hpp"
#include "seal/private_file.hpp"

namespace cugrade::cluster {
namespace {

namespace fs = std::filesystem;

constexpr int most_deaths = 5;
constexpr int most_arrays = 3;  ///< whose tasks ended, and none of them claimed anything
constexpr std::size_t most_of_a_log = 2000;
/// Results that are taken together, which bounds the memory for them.
constexpr std::size_t most_at_a_time = 64;
/// Threads that read results: they wait for the file system most of the time. Chosen.
constexpr int readers = 8;

[[noreturn]] void give_up(Error error) { throw HarnessFault(std::move(error)); }

void check(const Status& status) {
    if (!status) give_up(status.error());
}

/// Submissions that a task grades at once. A runner that waits for its GPU spins, and the grader's
/// clock must not wait for a processor: two per GPU are kept free, as in a local batch.
int at_once(const config::ClusterJobs& jobs) {
    return std::max({1, jobs.gpus, jobs.cpus - 2 * jobs.gpus});
}

/// A task that is being cancelled may still put a file there, or, on a network file system, have
/// one open, which cannot be removed before.
void remove_folder(const fs::path& folder) {
    constexpr int tries = 100;
    for (int i = 0; i < tries; ++i) {
        std::error_code error;
        fs::remove_all(folder, error);
        if (error != std::errc::directory_not_empty && error != std::errc::device_or_resource_busy)
            return;  // removed, or waiting helps nothing
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
}

std::vector<fs::path> folders_in(const fs::path& folder) {
    std::vector<fs::path> out;
    std::error_code error;
    for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error))
        out.push_back(it->path());
    std::ranges::sort(out);
    return out;
}

}  // namespace

Coordinator::Coordinator(fs::path out, fs::path program, config::Cluster cluster,
                         std::unique_ptr<Scheduler> scheduler, seal::Key key, PlanOptions options,
                         bool keep, CoordinatorSide side, Pace pace)
    : out_(std::move(out)),
      program_(std::move(program)),
      cluster_(std::move(cluster)),
      scheduler_(std::move(scheduler)),
      key_(std::move(key)),
      options_(std::move(options)),
      keep_(keep),
      side_(std::move(side)),
      pace_(pace) {}

void Coordinator::run(const std::vector<std::size_t>& items, const BatchSide& batch) {
    go_on_or_begin(items, batch);
    if (finished_.size() == items.size()) return;
    const bool built = !cluster_.build || run_stage(build_stage, *cluster_.build, batch);
    const bool graded = built && run_stage(grade_stage, cluster_.grade, batch);
    cancel(plan_.run);
    if (!graded) {
        side_.say(fmt::format("The jobs of this batch are cancelled in {}.\n", scheduler_->name()));
        return;
    }
    remove_folder(cluster_folder(out_));
}

// ---- Runs ---------------------------------------------------------------------------------------

fs::path Coordinator::folder_of(const std::string& run) const { return cluster_folder(out_) / run; }

/// A run has its own, so that jobs of another batch are not touched. Of both stages.
std::string Coordinator::job_name(const std::string& stage, const std::string& run) const {
    return fmt::format("cugrade-{}-{}", stage, run);
}

void Coordinator::cancel(const std::string& run) {
    for (const char* stage : {build_stage, grade_stage})
        if (auto cancelled = scheduler_->cancel(job_name(stage, run)); !cancelled)
            side_.say(fmt::format("The jobs {} may go on, and do no harm: {}\n",
                                  job_name(stage, run), cancelled.error().message));
}

void Coordinator::go_on_or_begin(const std::vector<std::size_t>& items, const BatchSide& batch) {
    const std::string run = earlier_run(items, batch);
    if (finished_.size() == items.size()) {
        for (const fs::path& folder : folders_in(cluster_folder(out_)))
            cancel(folder.filename().string());
        remove_folder(cluster_folder(out_));
        return;
    }
    for (const fs::path& folder : folders_in(cluster_folder(out_))) {
        if (folder.filename() == run) continue;
        cancel(folder.filename().string());
        remove_folder(folder);
    }
    if (run.empty()) begin(items);
}

std::string Coordinator::earlier_run(const std::vector<std::size_t>& items,
                                     const BatchSide& batch) {
    std::string found;
    if (!keep_) return found;
    for (const fs::path& folder : folders_in(cluster_folder(out_))) {
        auto plan = Plan::read(plan_file(folder), key_);
        if (!plan || plan->run != folder.filename()) continue;  // killed before it was written
        std::map<std::size_t, std::size_t> numbers;
        for (const std::size_t item : items) {
            const auto at = std::ranges::find(plan->items, side_.item(item));
            if (at != plan->items.end())
                numbers[static_cast<std::size_t>(at - plan->items.begin())] = item;
        }
        settled_.clear();
        take_results(Stage(folder, plan->run, grade_stage, key_), *plan, numbers, batch, true);
        const bool all_in_it = std::ranges::all_of(items, [&](std::size_t item) {
            return finished_.contains(item) ||
                   std::ranges::any_of(numbers, [&](const auto& n) { return n.second == item; });
        });
        if (!all_in_it || plan->options != options_) continue;
        found = plan->run;
        plan_ = *std::move(plan);
        items_ = std::move(numbers);
    }
    return found;
}

void Coordinator::begin(const std::vector<std::size_t>& items) {
    std::vector<std::size_t> left;
    for (const std::size_t item : items)
        if (!finished_.contains(item)) left.push_back(item);
    // A long one that begins last would keep one node at work, and all others idle.
    std::ranges::stable_sort(left, std::greater<>(), side_.expected_s);
    plan_ = {.run = seal::random_hex(8), .options = options_, .items = {}};
    items_.clear();
    for (const std::size_t item : left) {
        items_[plan_.items.size()] = item;
        plan_.items.push_back(side_.item(item));
    }
    const fs::path folder = folder_of(plan_.run);
    for (const char* stage : {build_stage, grade_stage})
        check(Stage(folder, plan_.run, stage, key_).make());
    std::error_code error;
    fs::create_directory(log_folder(folder), error);
    for (const fs::path& one : {cluster_folder(out_), folder, log_folder(folder)})
        fs::permissions(one, fs::perms::owner_all, error);
    // Last: a run without a plan was never begun.
    check(plan_.write(plan_file(folder), key_));
}

// ---- A stage ------------------------------------------------------------------------------------

bool Coordinator::run_stage(const char* name, const config::ClusterJobs& jobs,
                            const BatchSide& batch) {
    const bool is_grading = std::string_view(name) == grade_stage;
    const Stage stage(folder_of(plan_.run), plan_.run, name, key_);
    settled_.clear();
    for (const auto& [number, item] : items_)
        if (finished_.contains(item)) settled_.insert(number);
    asked_ = {};
    free_since_.reset();
    submitted_ = 0;
    progress_ = 0;
    waiting_said_.clear();
    while (true) {
        take_results(stage, plan_, items_, batch, is_grading);
        if (settled_.size() == items_.size()) return true;
        if (batch.should_stop()) return false;
        if (Clock::now() - asked_ >= pace_.ask) {
            look_after(stage, jobs, batch, is_grading);
            asked_ = Clock::now();
        }
        std::this_thread::sleep_for(pace_.look);
    }
}

void Coordinator::take_results(const Stage& stage, const Plan& plan,
                               const std::map<std::size_t, std::size_t>& items,
                               const BatchSide& batch, bool is_grading) {
    std::vector<std::size_t> numbers;
    for (const std::size_t number : stage.results())
        if (const auto item = items.find(number);
            item != items.end() && !settled_.contains(number) && !finished_.contains(item->second))
            numbers.push_back(number);
    for (std::size_t from = 0; from < numbers.size() && !batch.should_stop();
         from += most_at_a_time) {
        const auto some =
            std::span(numbers).subspan(from, std::min(most_at_a_time, numbers.size() - from));
        std::vector<Result<Outcome>> outcomes(some.size(), Outcome{});
        check(in_parallel(some.size(), readers, [&](std::size_t k) -> Status {
            auto text = stage.result(some[k]);
            if (!text)
                outcomes[k] = text.error();
            else if (is_grading)
                outcomes[k] = read_outcome(*text);
            return Done{};
        }));
        std::vector<Finished> finished;
        for (std::size_t k = 0; k < some.size(); ++k)
            if (is_taken(stage, plan, some[k], items.at(some[k]), outcomes[k], is_grading) &&
                is_grading)
                finished.push_back({items.at(some[k]), std::move(outcomes[k]->graded)});
        if (!finished.empty()) batch.finish(std::move(finished));
    }
}

/// Whether the result counts.
bool Coordinator::is_taken(const Stage& stage, const Plan& plan, std::size_t number,
                           std::size_t item, const Result<Outcome>& outcome, bool is_grading) {
    const std::string& student = plan.items.at(number).student;
    std::string why = outcome ? "" : outcome.error().message;
    if (why.empty() && is_grading) why = side_.objection(item, outcome->inputs);
    if (why.empty() && is_grading && outcome->graded.report &&
        outcome->graded.report->student != student)
        why = "it is another student's";
    if (!why.empty()) {
        side_.say(
            fmt::format("a result of {} does not count: {}\n", printable(student), printable(why)));
        stage.refuse(number);
        return false;
    }
    settled_.insert(number);
    if (is_grading) finished_.insert(item);
    return true;
}

void Coordinator::look_after(const Stage& stage, const config::ClusterJobs& jobs,
                             const BatchSide& batch, bool is_grading) {
    // Claims first: a task that claims something later is not in question.
    const auto claims = stage.open_claims();
    const auto tasks = scheduler_->tasks(job_name(stage.name(), plan_.run));
    if (!tasks) return no_answer(tasks.error());
    silent_since_.reset();
    std::size_t still_claimed = 0;
    for (const auto& [number, claim] : claims) {
        const bool runs = std::ranges::any_of(*tasks, [&](const Task& task) {
            return task.id == claim.worker.task && task.state == Task::State::running;
        });
        if (runs)
            ++still_claimed;
        else if (!stage.has_result(number))
            stage.free(number);
    }
    give_up_the_hopeless(stage, batch, is_grading);
    say_waiting(*tasks);
    const std::size_t taken = settled_.size() + still_claimed;
    std::size_t progress = taken;
    for (const auto& [number, deaths] : stage.deaths())
        progress += static_cast<std::size_t>(deaths);
    if (progress > progress_) submitted_ = 0;
    progress_ = std::max(progress_, progress);
    if (taken >= items_.size()) return free_since_.reset();
    if (!free_since_) free_since_ = Clock::now();
    const auto in_state = [&](Task::State state) {
        return static_cast<std::size_t>(std::ranges::count(*tasks, state, &Task::state));
    };
    const std::size_t running = in_state(Task::State::running);
    if (in_state(Task::State::waiting) > 0) return;
    if ((running > 0 || in_state(Task::State::ending) > 0) &&
        Clock::now() - *free_since_ < pace_.for_workers)
        return;
    const auto most = static_cast<std::size_t>(jobs.tasks);
    const auto of_each = static_cast<std::size_t>(at_once(jobs));
    const std::size_t wanted =
        std::min((items_.size() - taken + of_each - 1) / of_each, most - std::min(most, running));
    if (wanted > 0) submit(stage, jobs, wanted);
}

void Coordinator::give_up_the_hopeless(const Stage& stage, const BatchSide& batch,
                                       bool is_grading) {
    for (const auto& [number, deaths] : stage.deaths()) {
        const auto item = items_.find(number);
        if (deaths < most_deaths || item == items_.end() || settled_.contains(number) ||
            stage.has_result(number))
            continue;
        settled_.insert(number);
        // What is not compiled before is compiled when it is graded.
        if (!is_grading || finished_.contains(item->second)) continue;
        finished_.insert(item->second);
        Graded graded{
            .report = {},
            .facts = {},
            .problem = fmt::format("given up after {} tries on the cluster: the node or the job "
                                   "died, or the result did not count{}",
                                   deaths, last_log()),
            .of_the_course = false};
        batch.finish({{.item = item->second, .graded = std::move(graded)}});
    }
}

void Coordinator::submit(const Stage& stage, const config::ClusterJobs& jobs, std::size_t tasks) {
    if (submitted_ >= most_arrays)
        give_up({.message = fmt::format("the jobs end without grading anything{}", last_log()),
                 .file = log_folder(folder_of(plan_.run)).string(),
                 .remedy = "mend what the jobs complain about (docs/cluster.md has the usual "
                           "reasons), then the same command with --resume"});
    const fs::path script = folder_of(plan_.run) / fmt::format("{}.sh", stage.name());
    write_script(stage.name(), at_once(jobs), script);
    const auto id = scheduler_->submit({.name = job_name(stage.name(), plan_.run),
                                        .tasks = static_cast<int>(tasks),
                                        .script = script,
                                        .logs = log_folder(folder_of(plan_.run)),
                                        .jobs = &jobs});
    if (!id) {
        if (id.error().kind == ErrorKind::usage) throw HarnessFault(id.error());
        return no_answer(id.error());
    }
    ++submitted_;
    free_since_.reset();
    side_.say(fmt::format("{} job {}: {} tasks to {} {} submissions\n", scheduler_->name(), *id,
                          tasks, stage.name() == std::string(build_stage) ? "compile" : "grade",
                          items_.size() - settled_.size()));
}

void Coordinator::write_script(const std::string& stage, int at_once,
                               const fs::path& script) const {
    std::string text = "#!/bin/sh\n";
    for (const std::string& line : cluster_.setup) text += line + "\n";
    text += fmt::format(
        "exec {} batch-worker --stage {} --at-once {} --task \"{}\" --start \"{}\" {}\n",
        shell_word(program_.string()), stage, at_once, scheduler_->task_words(),
        scheduler_->start_words(), shell_word(folder_of(plan_.run).string()));
    check(write_atomically(script, text));
}

// ---- What the user has to know
// --------------------------------------------------------------------

/// Not while tasks run: then it is clear what the batch waits for.
void Coordinator::say_waiting(const std::vector<Task>& tasks) {
    std::map<std::string, int> reasons;
    for (const Task& task : tasks) {
        if (task.state == Task::State::running) return waiting_said_.clear();
        if (task.state != Task::State::ending) ++reasons[task.reason];
    }
    std::string text;
    for (const auto& [reason, count] : reasons)
        text += fmt::format("{}{} tasks: {}", text.empty() ? "" : ", ", count, printable(reason));
    if (text.empty() || text == waiting_said_) return;
    // The first time it may be in the midst of starting them.
    if (!waiting_said_.empty() || !reasons.contains("None"))
        side_.say(fmt::format("waiting for {}: {}\n", scheduler_->name(), text));
    waiting_said_ = text;
}

void Coordinator::no_answer(const Error& error) {
    const auto now = Clock::now();
    if (!silent_since_) {
        silent_since_ = now;
        side_.say(fmt::format("{} does not answer, and cugrade asks again: {}\n",
                              scheduler_->name(), printable(error.message)));
    }
    if (now - *silent_since_ > pace_.for_scheduler)
        give_up({.message = fmt::format("{} does not answer any more: {}", scheduler_->name(),
                                        error.message),
                 .remedy = "when it does, the same command with --resume"});
}

/// The end of what a task has printed last, as part of a sentence.
std::string Coordinator::last_log() const {
    fs::path latest;
    fs::file_time_type at = fs::file_time_type::min();
    for (const fs::path& file : folders_in(log_folder(folder_of(plan_.run)))) {
        std::error_code error;
        const auto written = fs::last_write_time(file, error);
        if (error || fs::is_symlink(file, error) || fs::file_size(file, error) == 0) continue;
        if (written <= at) continue;
        latest = file;
        at = written;
    }
    std::error_code error;
    const auto size = latest.empty() ? 0 : fs::file_size(latest, error);
    if (size == 0 || size > (std::uintmax_t{16} << 20)) return "";
    const auto text = read_file(latest);
    if (!text) return "";
    const std::size_t from = text->size() - std::min(text->size(), most_of_a_log);
    return fmt::format("; {} ends with:\n{}", latest.filename().string(),
                       clean(std::string_view(*text).substr(from), most_of_a_log, true));
}

}  // namespace cugrade::cluster

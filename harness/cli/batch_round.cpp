#include "cli/batch_round.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "build/build.hpp"
#include "cli/class_files.hpp"
#include "cli/failure.hpp"
#include "cli/interrupt.hpp"
#include "cli/terminal.hpp"
#include "cluster/threads.hpp"
#include "core/in_parallel.hpp"
#include "core/printable.hpp"
#include "core/utc.hpp"
#include "grading/pipeline.hpp"
#include "record/inputs.hpp"
#include "record/tables.hpp"
#include "report/formats.hpp"

namespace cugrade::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view on_interrupt_here =
    "\nfinishing what is being graded; press Ctrl-C again to stop at once\n";
constexpr std::string_view on_interrupt_on_cluster =
    "\ncancelling the jobs; press Ctrl-C again to stop at once, and leave them at work\n";
/// Writing the table of a large class costs more than reading one result. Chosen: still live for a
/// person who looks.
constexpr std::chrono::seconds between_tables{1};

}  // namespace

BatchRound::BatchRound(BatchSetup& setup, BatchPlan plan, bool looks_after_files)
    : setup_(setup), results_(setup, std::move(plan)) {
    for (const BatchItem& item : results_.items()) widths_.widen(item);
    if (looks_after_files) write_what_is_missing();
    make_executor();
}

std::vector<record::Row> BatchRound::run() {
    const bool is_watch = setup_.arguments.watch;
    if (results_.done() > 0 && !is_watch)
        print(
            fmt::format("{} of {} are graded already\n", results_.done(), results_.items().size()));
    if (!is_watch) say_how_long();
    write_tables(results_.rows());
    {
        std::optional<Interruptible> here;  // a watch has its own
        if (!is_watch) here.emplace(setup_.cluster ? on_interrupt_on_cluster : on_interrupt_here);
        grade_all();
    }
    if (broken_) throw Failure(*broken_);
    std::vector<record::Row> all = results_.rows();
    write_tables(all);
    check(write_class_pages(setup_.out, {.rows = all,
                                         .policy = &setup_.course.policy,
                                         .distrusted = results_.distrusted(),
                                         .chosen_names = results_.chosen_names()}));
    if (!interrupted())
        departed_ = results_.attempts().remove_departed(setup_.out, results_.items());
    return all;
}

/// Report files are views of the record: one that was deleted or changed is written again.
void BatchRound::write_what_is_missing() {
    const std::vector<record::Row> all = results_.rows();
    for (std::size_t i = 0; i < results_.items().size(); ++i) {
        if (!results_.graded()[i].report) continue;
        for (const fs::path& file :
             changed_reports(setup_.out, all[i], setup_.formats, handing_out())) {
            restored_.push_back(
                fmt::format("{} was not as this grader wrote it", printable(file.string())));
            fmt::print(stderr, "cugrade: warning: {}; it is written again from the record\n",
                       restored_.back());
        }
        check(write_reports(setup_.out, all[i], setup_.formats, handing_out()));
    }
}

void BatchRound::make_executor() {
    const std::vector<BatchItem>& items = results_.items();
    if (!setup_.cluster) {
        executor_ = std::make_unique<cluster::Threads>(setup_.jobs, [&](std::size_t i) {
            return setup_.grader.grade(*items[i].assignment, items[i].student, items[i].source);
        });
        return;
    }
    for (const auto& one : value_of(setup_.record->attempts(setup_.sealer.key)))
        if (one.is_ours) seconds_.add(one.grading);
    executor_ = cluster_executor(
        *setup_.cluster, setup_.grader, setup_.arguments.choices, setup_.out,
        setup_.arguments.resume || setup_.arguments.watch,
        {.item = [&](std::size_t i) { return planned(items[i]); },
         .expected_s = [&](std::size_t i) { return seconds_.of(items[i]); },
         .objection = [this](std::size_t i,
                             const std::string& inputs) { return objection(i, inputs); },
         .say = [](const std::string& line) { print(line); }});
}

/// Why a result that was made elsewhere does not count.
std::string BatchRound::objection(std::size_t i, const std::string& inputs) {
    const BatchItem& item = results_.items()[i];
    if (!setup_.device) setup_.device = record::value_in(inputs, "device");
    const auto sha256 = submission_sha256(item.source);
    if (!sha256) return sha256.error().message;
    return difference_of(inputs, setup_.inputs_of(*item.assignment, *sha256));
}

/// The longest possible time of what is left, whatever the submissions do.
void BatchRound::say_how_long() const {
    double all_s = 0, longest_s = 0;
    for (std::size_t i = 0; i < results_.items().size(); ++i) {
        const BatchItem& item = results_.items()[i];
        if (!results_.is_to_grade(i) || !item.problem.empty()) continue;
        const auto one =
            longest_grading_s(setup_.course.policy.assignments.at(item.assignment->id).limits);
        if (!one) return;
        all_s += *one;
        longest_s = std::max(longest_s, *one);
    }
    if (all_s == 0) return;
    // A free thread takes the next submission, so none waits while one is left. Rounded up.
    print(fmt::format(
        "mostly seconds for each; if all run into their limits, {:.0f} min for one and {:.1f} h "
        "for all\n",
        std::ceil(longest_s / 60), std::ceil((all_s / setup_.jobs + longest_s) / 360) / 10));
}

/// What cannot be graded is not given to the executor.
void BatchRound::grade_all() {
    const cluster::BatchSide batch{
        .finish = [this](std::vector<cluster::Finished> some) { try_to_finish(std::move(some)); },
        .should_stop =
            [this] {
                const std::lock_guard lock(mutex_);
                return interrupted() || broken_;
            }};
    std::vector<std::size_t> gradable;
    for (std::size_t i = 0; i < results_.items().size() && !batch.should_stop(); ++i) {
        if (!results_.is_due(i)) continue;
        const std::string& problem = results_.items()[i].problem;
        if (problem.empty())
            gradable.push_back(i);
        else
            batch.finish({{.item = i, .graded = {.problem = problem}}});
    }
    if (batch.should_stop()) return;
    // Of none, too: an earlier batch may have been killed after its last grading, with jobs left.
    try {
        executor_->run(gradable, batch);
    } catch (const HarnessFault& fault) {
        throw Failure(fault.error());  // with its exit code
    }
}

void BatchRound::try_to_finish(std::vector<cluster::Finished> some) {
    try {
        finish(std::move(some));
    } catch (const std::exception& error) {
        // Not these submissions' fault: the reports or the gradebook cannot be written.
        const std::lock_guard lock(mutex_);
        if (!broken_) broken_ = Error{.message = error.what()};
    }
}

/// What waits for the disk is done for all at once, and not while other threads wait.
void BatchRound::finish(std::vector<cluster::Finished> some) {
    // Ctrl-C also ended these gradings (the emulated GPU is in the terminal's group): nothing
    // failed.
    if (interrupted()) std::erase_if(some, [](const auto& one) { return !one.graded.report; });
    if (some.empty()) return;
    const std::vector<int> numbers = commit(some);
    std::vector<record::Row> changed;
    {
        const std::lock_guard lock(mutex_);
        for (std::size_t k = 0; k < some.size(); ++k) {
            const std::size_t i = some[k].item;
            results_.take(i, std::move(some[k].graded), numbers[k]);
            changed.push_back(results_.row(i));
            print(fmt::format("[{:>{}}/{}] {}", results_.done(),
                              std::to_string(results_.to_do()).size(), results_.to_do(),
                              line_of(results_.items()[i], results_.graded()[i], widths_)));
        }
    }
    check(in_parallel(changed.size(), writers, [&](std::size_t k) {
        return write_reports(setup_.out, changed[k], setup_.formats, handing_out());
    }));
    write_tables_now_and_then();
}

/// Seals the reports and puts them into the record. Returns the numbers of the attempts.
std::vector<int> BatchRound::commit(std::vector<cluster::Finished>& some) {
    std::vector<record::Grading> gradings;
    for (auto& [i, result] : some) {
        const BatchItem& item = results_.items()[i];
        if (result.report) result.report = report::sealed(std::move(*result.report), setup_.sealer);
        // What is not looked at at all, as two submissions of one student, is no attempt at what
        // was graded before.
        std::string digest;
        if (result.report)
            digest = result.report->submission_sha256;
        else if (const auto sha256 = submission_sha256(item.source); sha256 && item.problem.empty())
            digest = *sha256;
        gradings.push_back({.assignment = item.assignment->id,
                            .student = item.student,
                            .submission_sha256 = digest,
                            .inputs = setup_.inputs_of(*item.assignment, digest),
                            .graded_at = utc_now(),
                            .report = result.report ? report::write_json(*result.report, {}) : "",
                            .facts = result.facts,
                            .problem = result.problem,
                            .handed_in_at = results_.entries()[i].handed_in.at});
    }
    return value_of(setup_.record->add(setup_.sealer.key, std::move(gradings)));
}

/// While a batch runs, its tables are for people who look how far it is.
void BatchRound::write_tables_now_and_then() {
    std::vector<record::Row> all;
    {
        const std::lock_guard lock(mutex_);
        const auto now = std::chrono::steady_clock::now();
        if (now - tables_written_ < between_tables) return;
        tables_written_ = now;
        all = results_.rows();
    }
    // One thread may be faster than an earlier one, and what is written last is right in the end:
    // run() writes the tables once more.
    const std::lock_guard lock(tables_mutex_);
    write_tables(all);
}

void BatchRound::write_tables(const std::vector<record::Row>& all) const {
    check(record::write_tables(setup_.out, all, setup_.roster.has_value()));
}

}  // namespace cugrade::cli

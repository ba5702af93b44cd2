#include "cli/batch_results.hpp"

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "build/build.hpp"
#include "cli/batch_lists.hpp"
#include "cli/class_tables.hpp"
#include "cli/failure.hpp"
#include "cli/files.hpp"
#include "cli/handins.hpp"
#include "core/printable.hpp"
#include "report/format.hpp"

namespace cugrade::cli {

BatchResults::BatchResults(BatchSetup& setup, BatchPlan plan)
    : setup_(setup),
      plan_(std::move(plan)),
      results_(items().size()),
      numbers_(items().size(), 0),
      is_chosen_(items().size(), true),
      was_graded_(items().size(), false),
      to_do_(items().size()) {
    const BatchArguments& arguments = setup.arguments;
    check(unpack_handins(plan_, setup.out));
    for (const BatchItem& item : items()) check(make_folders(setup.reports_of(*item.assignment)));
    decisions_ = value_of(setup.record->decisions(setup.sealer.key));
    attempts_.emplace(*setup.record, setup.sealer, setup.course, setup.rules());
    entries_ = entries_of(plan_);
    set_times();
    warn();
    names_ = read_chosen_names(setup.course.policy, entries_);
    check(setup.record->set_class(entries_, attempts_->rules()));
    if (arguments.resume || arguments.watch || !arguments.only.empty()) take_earlier_gradings();
    leave_out_what_nobody_asked_for();
    if (!arguments.only.empty()) choose_only(arguments.only, arguments.resume);
    attempts_->rescore(items());
}

void BatchResults::set_times() {
    const ClassTables& tables = setup_.arguments.tables;
    cli::set_times(entries_, tables);
    if (tables.submitted.empty()) attempts_->keep_times(items(), entries_);
    if (tables.extensions.empty()) keep_extensions();
    for (std::size_t i = 0; i < items().size(); ++i) {
        if (!entries_[i].handed_in.at) entries_[i].handed_in.at = items()[i].landed_at;
        if (const auto* found = items()[i].is_left ? attempts_->newest(items()[i]) : nullptr)
            entries_[i].handed_in.at = found->grading.handed_in_at;
    }
}

/// Those of the batch before: one that grades a single student anew takes nothing from others.
void BatchResults::keep_extensions() {
    const auto before = value_of(setup_.record->entries());
    for (record::Entry& entry : entries_)
        if (const auto then = std::ranges::find_if(before,
                                                   [&](const record::Entry& one) {
                                                       return one.student == entry.student &&
                                                              one.assignment == entry.assignment;
                                                   });
            then != before.end())
            entry.handed_in.extension = then->handed_in.extension;
}

/// While people can still mend it: of a watch, the summary comes weeks later.
void BatchResults::warn() const {
    for (const std::string& one : names_of_nobody(
             entries_, setup_.roster ? &*setup_.roster : nullptr, setup_.arguments.tables))
        setup_.warn_once(one);
    if (!setup_.arguments.watch) return;
    for (const std::string& one : plan_.unlisted)
        setup_.warn_once(fmt::format(
            "{}: nobody's in the roster, so its marks are in no file for Canvas or Moodle", one));
}

void BatchResults::leave_out_what_nobody_asked_for() {
    for (std::size_t i = 0; i < items().size(); ++i) {
        if (items()[i].is_asked_for) continue;
        is_chosen_[i] = false;
        if (!results_[i].report) --to_do_;
    }
}

/// Only these students are graded, anew unless what they handed in has its report and they
/// `may_keep` it. The others keep theirs; the table has to tell the same rules for all.
void BatchResults::choose_only(const std::vector<std::string>& students, bool may_keep) {
    std::vector<std::string> all;
    for (const BatchItem& item : items()) all.push_back(item.student);
    for (const std::string& student : students)
        if (std::ranges::find(all, student) == all.end()) {
            const bool is_missing =
                std::ranges::find(plan_.missing, student, &Missing::student) != plan_.missing.end();
            Error error = is_missing ? Error{.kind = ErrorKind::usage,
                                             .message = student + " has handed in nothing",
                                             .remedy = "a mark without a hand-in: cugrade override"}
                                     : unknown("student", student, all);
            error.key = "--only";
            throw Failure(std::move(error));
        }
    std::vector<std::string> changed;
    std::set<std::string_view> differences;
    for (std::size_t i = 0; i < items().size(); ++i) {
        is_chosen_[i] = std::ranges::find(students, items()[i].student) != students.end();
        if (is_chosen_[i] && results_[i].report && !may_keep) {
            results_[i].report.reset();
            numbers_[i] = 0;
            --done_;
        }
        if (is_chosen_[i] || results_[i].report) continue;
        --to_do_;
        if (!was_graded_[i]) continue;
        changed.push_back(
            fmt::format("{} ({})", printable(items()[i].student), items()[i].assignment->id));
        differences.insert(difference_of_grading(i));
    }
    if (!changed.empty())
        throw Failure(
            others_have_changed(std::move(changed), {differences.begin(), differences.end()}));
}

/// What an item's earlier report depends on, and is not as it was.
std::string_view BatchResults::difference_of_grading(std::size_t i) const {
    const auto* const then = attempts_->newest(items()[i]);
    const auto sha256 = submission_sha256(items()[i].source);
    if (then == nullptr || !sha256) return "hand-ins";
    const std::string now = setup_.inputs_of(*items()[i].assignment, *sha256);
    for (const auto& [name, words] :
         {std::pair<std::string_view, std::string_view>("submission", "hand-ins"),
          {"policy", "the policy (--policy)"},
          {"secret", "the secret (--secret-file)"},
          {"cugrade", "the version of cugrade"},
          {"nvcc", "the version of nvcc"},
          {"backend", "the back end (--backend)"},
          {"device", "the GPU"},
          {"signed by", "the signing key (--sign)"}})
        if (record::value_in(then->grading.inputs, name) != record::value_in(now, name))
            return words;
    return "the assignment, --task or --timing";
}

void BatchResults::take_earlier_gradings() {
    setup_.learn_device();
    std::vector<record::Grading> of_other_times;
    for (std::size_t i = 0; i < items().size(); ++i) {
        const BatchItem& item = items()[i];
        const auto* found = attempts_->newest(item);
        if (found != nullptr && item.is_left) {
            take_what_stands(i, *found);
            continue;
        }
        if (found == nullptr || found->grading.report.empty()) continue;
        was_graded_[i] = true;
        if (!item.problem.empty()) continue;
        record::Grading then = found->grading;
        if (!found->is_ours) {
            distrust(item,
                     "the record's line was not written by this grader, or the key is "
                     "another one");
            continue;
        }
        if (record::value_in(then.inputs, "policy") != setup_.course.policy.sha256)
            setup_.warn_once(
                "the class was graded under another policy, and is graded anew; where points, "
                "tiers or deadlines alone differ, `cugrade rescore` needs no grading");
        const auto sha256 = submission_sha256(item.source);
        if (!sha256 || then.inputs != setup_.inputs_of(*item.assignment, *sha256)) continue;
        auto report = report::read_report(then.report);
        if (!report || report->student != item.student) {
            distrust(item, "the record's line is not about this student");
            continue;
        }
        results_[i].report = std::move(*report);
        numbers_[i] = then.attempt;
        ++done_;
        if (then.handed_in_at == entries_[i].handed_in.at) continue;
        then.handed_in_at = entries_[i].handed_in.at;
        of_other_times.push_back(std::move(then));
    }
    (void)value_of(setup_.record->add(setup_.sealer.key, std::move(of_other_times)));
}

/// Whatever lies in the folder now: of a watch, it is graded in another round.
void BatchResults::take_what_stands(std::size_t i, const record::Record::Kept& found) {
    const record::Grading& then = found.grading;
    const BatchItem& item = items()[i];
    if (!found.is_ours || then.inputs != setup_.inputs_of(*item.assignment, then.submission_sha256))
        return;
    if (then.report.empty()) return take(i, {.problem = then.problem}, then.attempt);
    auto report = report::read_report(then.report);
    if (report && report->student == item.student)
        take(i, {.report = std::move(*report)}, then.attempt);
}

void BatchResults::distrust(const BatchItem& item, std::string_view why) {
    distrusted_.push_back(
        fmt::format("{} ({}): {}", printable(item.student), item.assignment->id, why));
    fmt::print(stderr, "cugrade: warning: {}; it is graded anew\n", distrusted_.back());
}

void BatchResults::take(std::size_t i, cluster::Graded graded, int number) {
    results_[i] = std::move(graded);
    numbers_[i] = number;
    entries_[i].problem = results_[i].problem;
    ++done_;
}

record::Attempt BatchResults::newest(std::size_t i) const {
    return {.number = numbers_[i],
            .handed_in_at = entries_[i].handed_in.at,
            .report = results_[i].report ? &*results_[i].report : nullptr,
            .problem = results_[i].problem};
}

record::Row BatchResults::row(std::size_t i) const {
    return attempts_->row(entries_[i], newest(i), decisions_);
}

std::vector<record::Row> BatchResults::rows() const {
    std::vector<record::Attempt> newest;
    for (std::size_t i = 0; i < items().size(); ++i) newest.push_back(this->newest(i));
    return attempts_->rows(entries_, newest, decisions_);
}

}  // namespace cugrade::cli

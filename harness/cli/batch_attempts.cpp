#include "cli/batch_attempts.hpp"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "build/build_submission.hpp"
#include "cli/class_files.hpp"
#include "cli/failure.hpp"
#include "core/printable.hpp"
#include "record/inputs.hpp"
#include "record/rescoring.hpp"
#include "report/format.hpp"

namespace cugrade::cli {
namespace {

record::Who who(const record::Grading& grading) { return {grading.assignment, grading.student}; }
record::Who who(const BatchItem& item) { return {item.assignment->id, item.student}; }
record::Who who(const record::Entry& entry) { return {entry.assignment, entry.student}; }

}  // namespace

BatchAttempts::BatchAttempts(record::Record& record, const report::Sealer& sealer,
                             const Course& course, std::vector<record::Rules> rules)
    : record_(record), sealer_(sealer), course_(course), rules_(std::move(rules)) {
    kept_ = value_of(record_.attempts(sealer_.key));
    // The warning about the key has said so. Rounds of one watch believe each other.
    if (!sealer.key.is_kept())
        std::erase_if(kept_, [](const record::Record::Kept& one) { return !one.is_ours; });
    for (const record::Record::Kept& one : kept_) {
        if (!one.is_ours) continue;
        std::optional<Report> report;
        if (!one.grading.report.empty()) {
            auto read = report::read_report(one.grading.report);
            if (!read) continue;
            report = std::move(*read);
        }
        standings_.push_back({one.grading, std::move(report)});
    }
    attempts_ = record::attempts_of(standings_, rules_);
}

const record::Record::Kept* BatchAttempts::newest(const record::Who& of) const {
    const auto end = std::ranges::upper_bound(
        kept_, of, {}, [](const record::Record::Kept& one) { return who(one.grading); });
    if (end == kept_.begin() || who(std::prev(end)->grading) != of) return nullptr;
    return &*std::prev(end);
}

const record::Record::Kept* BatchAttempts::newest(const BatchItem& item) const {
    return newest(who(item));
}

bool BatchAttempts::was_there(const BatchItem& item) const {
    const auto* then = newest(item);
    const auto sha256 = submission_sha256(item.source);
    return then != nullptr && then->is_ours && sha256 && *sha256 == then->grading.submission_sha256;
}

void BatchAttempts::keep_times(const std::vector<BatchItem>& items,
                               std::vector<record::Entry>& entries) const {
    for (std::size_t i = 0; i < items.size(); ++i)
        if (!entries[i].handed_in.at && was_there(items[i]))
            entries[i].handed_in.at = newest(items[i])->grading.handed_in_at;
}

void BatchAttempts::rescore(const std::vector<BatchItem>& items) {
    std::set<record::Who> graded;
    for (const BatchItem& item : items)
        if (was_there(item)) graded.insert(who(item));
    std::vector<record::Grading> gradings;
    for (record::Standing& one : standings_) {
        const record::Rules* rules = record::find(rules_, one.grading.assignment);
        if (!one.report || rules == nullptr ||
            record::value_in(one.grading.inputs, "policy") == course_.policy.sha256)
            continue;
        if (graded.contains(who(one.grading)) &&
            newest(who(one.grading))->grading.attempt == one.grading.attempt)
            continue;
        auto now = record::rescored(one, course_, sealer_);
        if (!now || record::rules_in(now->grading.inputs) != rules->inputs) continue;
        one = *std::move(now);
        gradings.push_back(one.grading);
    }
    if (gradings.empty()) return;
    (void)value_of(record_.add(sealer_.key, std::move(gradings)));
    attempts_ = record::attempts_of(standings_, rules_);
}

std::vector<record::Row> BatchAttempts::rows(const std::vector<record::Entry>& entries,
                                             const std::vector<record::Attempt>& newest,
                                             const std::vector<record::Decision>& decisions) const {
    record::AttemptsOf all;
    for (std::size_t i = 0; i < newest.size(); ++i)
        all[who(entries[i])] = with_newest(who(entries[i]), newest[i]);
    return record::rows_of(entries, all, rules_, decisions);
}

record::Row BatchAttempts::row(const record::Entry& entry, const record::Attempt& newest,
                               const std::vector<record::Decision>& decisions) const {
    return record::rows_of({entry}, {{who(entry), with_newest(who(entry), newest)}}, rules_,
                           decisions)
        .front();
}

std::vector<record::Attempt> BatchAttempts::with_newest(const record::Who& of,
                                                        const record::Attempt& newest) const {
    if (newest.number == 0) return {};
    const auto earlier = attempts_.find(of);
    std::vector<record::Attempt> own =
        earlier == attempts_.end() ? std::vector<record::Attempt>{} : earlier->second;
    std::erase_if(own, [&](const auto& one) { return one.number == newest.number; });
    own.push_back(newest);
    return own;
}

std::vector<std::string> BatchAttempts::remove_departed(const std::filesystem::path& out,
                                                        const std::vector<BatchItem>& items) const {
    std::set<record::Who> there;
    std::set<std::string> assignments;
    for (const BatchItem& item : items) {
        there.insert(who(item));
        assignments.insert(item.assignment->id);
    }
    std::vector<std::string> departed;
    for (const record::Record::Kept& one : kept_)
        // Only lines of our own: names become paths here.
        if (const auto of = who(one.grading); one.is_ours && assignments.contains(of.first) &&
                                              there.insert(of).second && remove_student(out, of))
            departed.push_back(fmt::format("{} ({})", of.second, of.first));
    return departed;
}

std::vector<std::string> BatchAttempts::lost(const std::vector<record::Row>& rows) const {
    std::vector<std::string> out;
    for (const record::Row& row : rows) {
        const auto say = [&](int number, const char* why) {
            out.push_back(fmt::format("{} ({}), attempt {}: {}", printable(row.entry.student),
                                      row.entry.assignment, number, why));
        };
        for (const record::Attempt& one : row.attempts)
            if (one.has_other_rules && row.rule != Attempts::last)
                say(one.number, "graded by other rules, and points alone do not tell");
        if (row.entry.is_missing || row.attempts.empty()) continue;
        for (const record::Record::Kept& one : kept_)
            if (who(one.grading) == record::Who{row.entry.assignment, row.entry.student} &&
                std::ranges::find(row.attempts, one.grading.attempt, &record::Attempt::number) ==
                    row.attempts.end())
                say(one.grading.attempt, "its line in the record cannot be trusted");
    }
    return out;
}

}  // namespace cugrade::cli

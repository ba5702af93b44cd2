#include "record/rows.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "core/printable.hpp"
#include "record/inputs.hpp"
#include "report/format.hpp"

namespace cugrade::record {
namespace {

/// Why the newest attempt is not the one that counts.
std::string why_older(const Attempt& newest, Attempts rule) {
    if (newest.report == nullptr) return "the newest is not graded";
    if (newest.has_other_rules) return "the newest was graded by other rules";
    return rule == Attempts::best ? "it has the highest mark" : "the newest came too late";
}

const Decision* find(const std::vector<Decision>& decisions, const Entry& entry) {
    const auto found = std::ranges::find_if(decisions, [&](const Decision& one) {
        return one.assignment == entry.assignment && one.student == entry.student && one.points;
    });
    return found == decisions.end() ? nullptr : &*found;
}

void set_mark(Row& row, const Attempt* chosen) {
    if (chosen != nullptr) {
        row.report = chosen->report;
        row.mark = chosen->mark;
        if (const Attempt& newest = row.attempts.back(); chosen != &newest)
            row.mark->why = fmt::format("attempt {} of {} counts: {}{}{}", chosen->number,
                                        newest.number, why_older(newest, row.rule),
                                        row.mark->why.empty() ? "" : "; ", row.mark->why);
    }
    if (row.decided)
        row.mark =
            mark_of(*row.decided,
                    row.report != nullptr ? std::optional(row.report->score.earned) : std::nullopt);
}

Row row_of(Entry entry, std::vector<Attempt> attempts, const Rules& rules,
           const Decision* decided) {
    Row row{.entry = std::move(entry),
            .title = rules.title,
            .possible = rules.possible,
            .attempts = std::move(attempts),
            .decided = decided != nullptr ? std::optional(*decided) : std::nullopt,
            .rule = rules.hand_ins.attempts};
    set_mark(row, judge(row.attempts, row.entry.handed_in.extension, rules.hand_ins));
    return row;
}

/// Of decisions about students of the class at assignments at which they have no entry.
std::vector<Entry> decided_only(const std::vector<Entry>& entries,
                                const std::vector<Decision>& decisions) {
    std::set<Who> there;
    std::map<std::string, const Entry*> students;
    for (const Entry& entry : entries) {
        there.insert({entry.assignment, entry.student});
        students.emplace(entry.student, &entry);
    }
    std::vector<Entry> out;
    for (const Decision& one : decisions)
        if (const auto student = students.find(one.student);
            one.points && student != students.end() &&
            !there.contains({one.assignment, one.student}))
            out.push_back({.assignment = one.assignment,
                           .student = one.student,
                           .listed = student->second->listed,
                           .is_missing = true});
    return out;
}

/// Version 1 of the record knew the time of the newest hand-in alone, as part of the class.
void take_times_of_entries(Class& of) {
    std::map<Who, Standing*> newest;
    for (Standing& one : of.standings) newest[{one.grading.assignment, one.grading.student}] = &one;
    for (const Entry& entry : of.entries)
        if (const auto one = newest.find({entry.assignment, entry.student}); one != newest.end())
            one->second->grading.handed_in_at = entry.handed_in.at;
}

}  // namespace

bool is_pending(const Row& row) {
    return row.report == nullptr && row.entry.problem.empty() && !row.entry.is_missing &&
           !row.decided;
}

const Attempt* counted(const Row& row) {
    const auto found = std::ranges::find(row.attempts, true, &Attempt::counts);
    return found == row.attempts.end() ? nullptr : &*found;
}

std::string title_of(const Row& row) {
    if (row.report != nullptr && !row.report->assignment_title.empty())
        return row.report->assignment_title;
    return row.title.empty() ? row.entry.assignment : row.title;
}

double possible_of(const Row& row) {
    return row.report != nullptr ? row.report->score.possible : row.possible;
}

std::string attempt_file(const Entry& entry, const Attempt& attempt, std::string_view extension) {
    return attempt.counts ? report_file(entry.assignment, entry.student, extension)
                          : fmt::format("attempts/{}/{}/{}{}", entry.assignment, entry.student,
                                        attempt.number, extension);
}

const Rules* find(const std::vector<Rules>& all, std::string_view assignment) {
    const auto found = std::ranges::find(all, assignment, &Rules::assignment);
    return found == all.end() ? nullptr : &*found;
}

Result<std::vector<Standing>> standings(const Record& record, const seal::Key& key) {
    auto attempts = record.attempts(key);
    if (!attempts) return attempts.error();
    std::vector<Standing> out;
    for (Record::Kept& one : *attempts) {
        const auto refused = [&](const char* why) {
            return Error{
                .message = fmt::format("the record's line of {} ({}) {}",
                                       printable(one.grading.student), one.grading.assignment, why),
                .remedy =
                    "work as the user who graded, with the same key (CUGRADE_KEY_FILE); if that "
                    "key is lost, grade the class again with `cugrade batch --resume`"};
        };
        if (!one.is_ours) return refused("was not written by the grader with this key");
        std::optional<Report> report;
        if (!one.grading.report.empty()) {
            auto read = report::read_report(one.grading.report);
            if (!read) return refused("has no report of this version");
            report = std::move(*read);
        }
        out.push_back({std::move(one.grading), std::move(report)});
    }
    return out;
}

AttemptsOf attempts_of(const std::vector<Standing>& standings, const std::vector<Rules>& rules) {
    AttemptsOf out;
    std::map<Who, std::string> newest_rules;
    for (const Standing& one : standings)
        if (one.report)
            newest_rules[{one.grading.assignment, one.grading.student}] =
                rules_in(one.grading.inputs);
    for (const Standing& one : standings) {
        const Grading& grading = one.grading;
        const Who who{grading.assignment, grading.student};
        const Rules* known = find(rules, grading.assignment);
        out[who].push_back(
            {.number = grading.attempt,
             .handed_in_at = grading.handed_in_at,
             .report = one.report ? &*one.report : nullptr,
             .problem = grading.problem,
             .has_other_rules = one.report && rules_in(grading.inputs) !=
                                                  (known ? known->inputs : newest_rules.at(who))});
    }
    return out;
}

std::vector<Row> rows_of(const std::vector<Entry>& entries, const AttemptsOf& attempts,
                         const std::vector<Rules>& rules, const std::vector<Decision>& decisions) {
    std::vector<Row> out;
    const auto add = [&](const Entry& entry) {
        const auto own = attempts.find({entry.assignment, entry.student});
        const Rules* by = find(rules, entry.assignment);
        out.push_back(row_of(
            entry, own == attempts.end() || entry.is_missing ? std::vector<Attempt>{} : own->second,
            by != nullptr ? *by : Rules{}, find(decisions, entry)));
    };
    for (const Entry& entry : entries) add(entry);
    for (const Entry& entry : decided_only(entries, decisions)) add(entry);
    return out;
}

std::vector<Row> Class::rows() const {
    return rows_of(entries, attempts_of(standings, rules), rules, decisions);
}

Result<Class> read_class(const Record& record, const seal::Key& key) {
    Class out;
    const auto take = [](auto read, auto& into) -> Status {
        if (!read) return read.error();
        into = *std::move(read);
        return Done{};
    };
    for (const Status& status :
         {take(record.entries(), out.entries), take(standings(record, key), out.standings),
          take(record.rules(), out.rules), take(record.decisions(key), out.decisions)})
        if (!status) return status.error();
    if (out.rules.empty()) take_times_of_entries(out);
    return out;
}

}  // namespace cugrade::record

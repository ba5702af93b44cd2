#include "record/class_summary.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <functional>
#include <numeric>
#include <set>

#include <fmt/format.h>

#include "report/explained.hpp"
#include "report/format.hpp"

namespace cugrade::record {
namespace {

constexpr std::size_t slowest_shown = 5;  // chosen: enough to see whether one or all are slow

bool is_failure(Verdict verdict) { return is_judged(verdict) && verdict != Verdict::accepted; }

std::size_t sum_of(const std::map<Verdict, std::size_t>& counts) {
    return std::accumulate(counts.begin(), counts.end(), std::size_t{0},
                           [](std::size_t sum, const auto& one) { return sum + one.second; });
}

/// What a failed case has in common with others: the cause, else the diagnosis, else what a checker
/// found. Empty: none. Messages are left aside: they tell places and values.
std::string error_of(const TaskOutcome& task, const CaseOutcome& outcome) {
    if (const Cause* cause = report::cause_of(task, outcome))
        if (const CauseKind* kind = cause_kind(cause->id)) return std::string(kind->title);
    if (!outcome.pattern.empty()) return outcome.pattern;
    for (const CheckerFinding& finding : outcome.findings)
        if (!finding.warning) return finding.kind;
    return "";
}

/// Two diagnoses that differ in their numbers alone are one pattern.
std::string without_numbers(std::string_view text) {
    std::string out;
    for (const char c : text) {
        const bool is_digit = std::isdigit(static_cast<unsigned char>(c)) != 0;
        if (!is_digit)
            out += c;
        else if (!out.ends_with('#'))
            out += '#';
    }
    return out;
}

class TaskTally {
public:
    explicit TaskTally(TaskSummary& out) : out_(out) {}

    void add(const Row& row, const TaskReport& task) {
        if (task.score.judged > 0) {
            ++out_.judged;
            shares_ += share_of(task.score);
        }
        if (is_failure(task.verdict)) ++out_.failures[task.verdict];
        for (const CaseOutcome& outcome : task.outcome.cases) add(outcome);
        add_errors(row, task.outcome);
        if (const auto& timing = task.outcome.timing; timing && timing->speedup > 0) {
            out_.speed.speedups.push_back(timing->speedup);
            out_.speed.is_modelled |= timing->basis == TimingOutcome::Basis::modelled;
        }
        credits_.push_back(task.credit);
    }

    void finish(const std::vector<Tier>& tiers) {
        if (out_.judged > 0) out_.mean_share = shares_ / static_cast<double>(out_.judged);
        for (auto& [id, one] : cases_) out_.cases.push_back(std::move(one));
        for (auto& [key, one] : errors_) out_.errors.push_back(std::move(one));
        std::ranges::stable_sort(out_.errors, std::greater<>(),
                                 [](const ErrorPattern& one) { return one.students.size(); });
        std::ranges::sort(out_.speed.speedups);
        out_.speed.quartiles = quartiles_of(out_.speed.speedups);
        for (const Tier& tier : tiers)
            out_.speed.tiers.push_back(
                {tier, static_cast<std::size_t>(std::ranges::count_if(
                           credits_, [&](double credit) { return credit >= tier.credit; }))});
    }

private:
    void add(const CaseOutcome& outcome) {
        CaseSummary& one = cases_[outcome.id];
        if (one.id == 0)
            one = {.id = outcome.id,
                   .visibility = outcome.visibility,
                   .description = outcome.description,
                   .failures = {}};
        if (is_judged(outcome.verdict)) ++one.judged;
        if (is_failure(outcome.verdict)) ++one.failures[outcome.verdict];
    }

    /// Each error once per student. A verdict alone is one only where no case of this verdict has
    /// been diagnosed.
    void add_errors(const Row& row, const TaskOutcome& task) {
        const std::vector<CaseOutcome>& cases = task.cases;
        std::map<std::string, ErrorPattern> errors;
        std::set<Verdict> diagnosed;
        const auto add = [&](Verdict verdict, std::string text) {
            std::string key = without_numbers(text);
            errors.try_emplace(
                std::move(key),
                ErrorPattern{.verdict = verdict, .text = std::move(text), .students = {}});
        };
        for (const CaseOutcome& outcome : cases)
            if (std::string text = error_of(task, outcome);
                is_failure(outcome.verdict) && !text.empty()) {
                add(outcome.verdict, std::move(text));
                diagnosed.insert(outcome.verdict);
            }
        for (const CaseOutcome& outcome : cases)
            if (is_failure(outcome.verdict) && !diagnosed.contains(outcome.verdict))
                add(outcome.verdict, std::string(meaning(outcome.verdict)));
        for (auto& [key, error] : errors)
            errors_.try_emplace(key, std::move(error)).first->second.students.push_back(&row);
    }

    TaskSummary& out_;
    double shares_ = 0;
    std::map<int, CaseSummary> cases_;
    std::map<std::string, ErrorPattern> errors_;  ///< by text without numbers
    std::vector<double> credits_;
};

std::vector<Tier> tiers_of(const GradingPolicy* policy, const std::string& assignment,
                           const std::string& task) {
    if (policy == nullptr) return {};
    const auto points = policy->assignments.find(assignment);
    if (points == policy->assignments.end()) return {};
    const auto of_task = points->second.tasks.find(task);
    return of_task == points->second.tasks.end() ? std::vector<Tier>{} : of_task->second.tiers;
}

AssignmentSummary summary_of(const std::vector<const Row*>& rows, const GradingPolicy* policy) {
    AssignmentSummary out;
    out.id = out.title = rows.front()->entry.assignment;
    std::vector<std::string> names;  // of tasks, in the order of the reports
    std::map<std::string, std::vector<std::pair<const Row*, const TaskReport*>>> tasks;
    std::vector<double> shares;
    for (const Row* row : rows) {
        if (row->report == nullptr) {
            ++(row->entry.is_missing ? out.missing : out.ungraded);
            continue;
        }
        const Report& report = *row->report;
        if (!report.assignment_title.empty()) out.title = report.assignment_title;
        out.possible = std::max(out.possible, report.score.possible);
        ++out.graded;
        if (!for_a_person(report).empty()) ++out.to_decide;
        shares.push_back(share_of(report.score));
        ++out.tenths[tenth_of(shares.back())];
        out.grading_s += report.seconds;
        out.slowest.push_back(row);
        for (const TaskReport& task : report.tasks) {
            out.gpu_s += task.outcome.gpu_s;
            if (!tasks.contains(task.name)) names.push_back(task.name);
            tasks[task.name].emplace_back(row, &task);
        }
    }
    for (const std::string& name : names) {
        const auto& all = tasks.at(name);
        TaskSummary& task = out.tasks.emplace_back(TaskSummary{.name = name,
                                                               .title = all.front().second->title,
                                                               .failures = {},
                                                               .cases = {},
                                                               .errors = {},
                                                               .speed = {}});
        TaskTally tally(task);
        for (const auto& [row, one] : all) tally.add(*row, *one);
        tally.finish(tiers_of(policy, out.id, name));
    }
    if (!shares.empty())
        out.mean_share =
            std::accumulate(shares.begin(), shares.end(), 0.0) / static_cast<double>(shares.size());
    out.shares = quartiles_of(std::move(shares));
    std::ranges::stable_sort(out.slowest, std::greater<>(),
                             [](const Row* row) { return row->report->seconds; });
    out.slowest.resize(std::min(out.slowest.size(), slowest_shown));
    return out;
}

}  // namespace

double share_of(const Score& score) { return score.judged > 0 ? score.earned / score.judged : 0; }

std::string percent_text(double share) {
    return report::points_text(std::round(1000 * share) / 10);
}

std::size_t tenth_of(double share) {
    // Points are sums of decimal fractions: 0.3 may be a little less than three tenths.
    constexpr double rounding = 1e-9;
    const double tenths = std::max(0.0, 10 * share + rounding);
    return std::min<std::size_t>(static_cast<std::size_t>(tenths), Tenths{}.size() - 1);
}

std::string for_a_person(const Report& report) {
    for (const TaskReport& task : report.tasks)
        for (const CaseOutcome& outcome : task.outcome.cases) {
            if (outcome.verdict == Verdict::suspicious) return outcome.message;
            if (outcome.verdict == Verdict::skipped &&
                outcome.not_judged.why == NotJudged::Why::other)
                return fmt::format("{} is not judged: {}", task.name, outcome.not_judged.detail);
        }
    return {};
}

Quartiles quartiles_of(std::vector<double> values) {
    if (values.empty()) return {};
    std::ranges::sort(values);
    const auto at = [&](double share) {
        const double place = share * static_cast<double>(values.size() - 1);
        const auto below = static_cast<std::size_t>(place);
        const std::size_t above = std::min(below + 1, values.size() - 1);
        return std::lerp(values[below], values[above], place - std::floor(place));
    };
    return {at(0), at(0.25), at(0.5), at(0.75), at(1)};
}

std::size_t CaseSummary::failed() const { return sum_of(failures); }
std::size_t TaskSummary::failed() const { return sum_of(failures); }

std::vector<AssignmentSummary> summaries_of(const ClassView& view) {
    std::vector<std::string> ids;
    std::map<std::string, std::vector<const Row*>> rows;
    for (const Row& row : view.rows) {
        if (!rows.contains(row.entry.assignment)) ids.push_back(row.entry.assignment);
        rows[row.entry.assignment].push_back(&row);
    }
    std::vector<AssignmentSummary> out;
    out.reserve(ids.size());
    for (const std::string& id : ids) out.push_back(summary_of(rows.at(id), view.policy));
    return out;
}

std::vector<Concern> concerns_of(const ClassView& view) {
    std::vector<Concern> out;
    for (const Row& row : view.rows)
        if (!row.entry.is_missing && (row.report == nullptr || !row.entry.problem.empty()))
            out.push_back(
                {&row, "not graded", row.entry.problem.empty() ? "not yet" : row.entry.problem});
    for (const Row& row : view.rows)
        if (row.report != nullptr)
            if (std::string why = for_a_person(*row.report); !why.empty())
                out.push_back({&row, "for a person to decide", std::move(why)});
    return out;
}

}  // namespace cugrade::record

#include "record/changes.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "core/printable.hpp"
#include "record/inputs.hpp"
#include "report/format.hpp"

namespace cugrade::record {
namespace {

using report::points_text;

bool is_same(const Score& a, const Score& b) {
    return a.earned == b.earned && a.judged == b.judged && a.possible == b.possible;
}

std::optional<Score> score_of(const Standing& standing) {
    return standing.report ? std::optional(standing.report->score) : std::nullopt;
}

/// "6 -> 12", "6 -> not judged", "6 of 10 -> 6 of 12".
std::string text_of(const Score& a, const Score& b) {
    const auto one = [&](const Score& s) {
        if (!(s.judged > 0) && s.possible > 0) return std::string("not judged");
        return a.possible == b.possible
                   ? points_text(s.earned)
                   : fmt::format("{} of {}", points_text(s.earned), points_text(s.possible));
    };
    return fmt::format("{} -> {}", one(a), one(b));
}

/// What a reader sees as the cause of other points for speed.
std::string cause_of_speed(const TaskReport& a, const TaskReport& b) {
    const auto &x = a.outcome.timing, &y = b.outcome.timing;
    if (x && y && x->speedup != y->speedup)
        return fmt::format(" ({:.3g} times the baseline, and {:.3g} now)", x->speedup, y->speedup);
    if (y && b.credit != a.credit)
        return fmt::format(" (tiers: {:.3g} times the baseline now earns {:.0f} %)", y->speedup,
                           100 * b.credit);
    return "";
}

void compare(const TaskReport& a, const TaskReport& b, std::vector<std::string>& why) {
    const std::string task = printable(b.name);
    if (!is_same(a.correctness, b.correctness))
        why.push_back(
            fmt::format("{}: correctness {}", task, text_of(a.correctness, b.correctness)));
    const Score none;
    const Score& x = a.technique ? a.technique->score : none;
    const Score& y = b.technique ? b.technique->score : none;
    if (!is_same(x, y)) why.push_back(fmt::format("{}: technique {}", task, text_of(x, y)));
    if (!is_same(a.performance, b.performance))
        why.push_back(fmt::format("{}: speed {}{}", task, text_of(a.performance, b.performance),
                                  cause_of_speed(a, b)));
    for (const CaseOutcome& now : b.outcome.cases) {
        const auto then = std::ranges::find(a.outcome.cases, now.id, &CaseOutcome::id);
        if (then == a.outcome.cases.end() || then->verdict == now.verdict) continue;
        why.push_back(fmt::format("{}: case {} was {}, is {}", task, now.id, name(then->verdict),
                                  name(now.verdict)));
        break;  // one shows what happened; the reports have all
    }
}

/// What differs in that which the two gradings depend on.
void compare_inputs(const Grading& a, const Grading& b, std::vector<std::string>& why) {
    if (a.submission_sha256 != b.submission_sha256)
        why.push_back(fmt::format("another hand-in (attempt {})", b.attempt));
    constexpr std::array<std::pair<const char*, const char*>, 9> lines{{
        {"policy", "another policy"},
        {"assignment", "another assignment.yaml"},
        {"secret", "another secret"},
        {"backend", "another back end"},
        {"device", "another device"},
        {"timing", "another way of timing"},
        {"cugrade", "another version of cugrade"},
        {"nvcc", "another nvcc"},
        {"task", "other tasks"},
    }};
    for (const auto& [line, text] : lines)
        if (value_in(a.inputs, line) != value_in(b.inputs, line)) why.emplace_back(text);
}

std::vector<std::string> reasons(const Standing& a, const Standing& b) {
    std::vector<std::string> why;
    if (a.report && b.report) {
        for (const TaskReport& task : b.report->tasks) {
            const auto then = std::ranges::find(a.report->tasks, task.name, &TaskReport::name);
            if (then == a.report->tasks.end())
                why.push_back(fmt::format("{}: was not graded", printable(task.name)));
            else
                compare(*then, task, why);
        }
        for (const TaskReport& task : a.report->tasks)
            if (std::ranges::find(b.report->tasks, task.name, &TaskReport::name) ==
                b.report->tasks.end())
                why.push_back(fmt::format("{}: is not graded now", printable(task.name)));
    }
    if (!b.report) why.push_back("not graded: " + printable(b.grading.problem));
    if (!a.report) why.emplace_back("was not graded");
    compare_inputs(a.grading, b.grading, why);
    return why;
}

}  // namespace

Result<std::vector<Standing>> standings(const Record& record, const seal::Key& key) {
    auto latest = record.latest(key);
    if (!latest) return latest.error();
    std::vector<Standing> out;
    for (Record::Latest& one : *latest) {
        const auto refused = [&](const char* why) {
            return Error{
                .message = fmt::format("the record's line of {} ({}) {}",
                                       printable(one.grading.student), one.grading.assignment, why),
                .remedy =
                    "grade the class again with `cugrade batch --resume`, which does "
                    "not believe such lines"};
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

std::vector<Change> changes(const std::vector<Standing>& before,
                            const std::vector<Standing>& after) {
    using Who = std::pair<std::string_view, std::string_view>;
    std::map<Who, std::pair<const Standing*, const Standing*>> both;
    for (const Standing& one : before)
        both[{one.grading.assignment, one.grading.student}].first = &one;
    for (const Standing& one : after)
        both[{one.grading.assignment, one.grading.student}].second = &one;
    std::vector<Change> out;
    for (const auto& [who, pair] : both) {
        const auto [a, b] = pair;
        const auto x = a != nullptr ? score_of(*a) : std::nullopt;
        const auto y = b != nullptr ? score_of(*b) : std::nullopt;
        if (x.has_value() == y.has_value() && (!x || is_same(*x, *y))) continue;
        Change change{std::string(who.first), std::string(who.second), x, y, {}};
        if (a == nullptr)
            change.why.emplace_back("is new");
        else if (b == nullptr)
            change.why.emplace_back("is not there any more");
        else
            change.why = reasons(*a, *b);
        out.push_back(std::move(change));
    }
    return out;
}

std::string text_of(const Change& change) {
    const auto points = [](const std::optional<Score>& score) {
        return score ? points_text(score->earned) : std::string("no mark");
    };
    std::string possible;
    if (change.after) possible = fmt::format(" of {}", points_text(change.after->possible));
    if (change.before && change.after && change.before->possible != change.after->possible)
        possible += fmt::format(" (were {})", points_text(change.before->possible));
    return fmt::format("{} ({}): {} -> {}{}; {}", printable(change.student), change.assignment,
                       points(change.before), points(change.after), possible,
                       fmt::join(change.why, "; "));
}

}  // namespace cugrade::record

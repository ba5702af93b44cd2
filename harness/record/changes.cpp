#include "record/changes.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "core/printable.hpp"
#include "core/utc.hpp"
#include "record/inputs.hpp"
#include "report/format.hpp"

namespace cugrade::record {
namespace {

using report::points_text;

bool is_same(const Score& a, const Score& b) {
    return a.earned == b.earned && a.judged == b.judged && a.possible == b.possible;
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

std::string_view first_line(std::string_view text) { return text.substr(0, text.find('\n')); }

/// What differs in that which the two gradings depend on.
void compare_inputs(const Grading& a, const Grading& b, std::vector<std::string>& why) {
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

/// One side of a comparison.
struct Side {
    const Row* row = nullptr;
    const Standing* standing = nullptr;     ///< of the attempt that counts; null: none does
    std::vector<const Standing*> all = {};  ///< of all attempts
    HandInPolicy policy = {};
    const Decision* decision = nullptr;  ///< the last word on this mark; null: none was spoken

    [[nodiscard]] std::optional<double> mark() const {
        return row != nullptr && row->mark ? std::optional(row->mark->points) : std::nullopt;
    }
    [[nodiscard]] HandedIn handed_in() const {
        return {.at = standing != nullptr ? standing->grading.handed_in_at : std::nullopt,
                .extension = row->entry.handed_in.extension};
    }
    [[nodiscard]] int days() const { return days_late(handed_in(), policy); }
};

void compare_decisions(const Side& a, const Side& b, std::vector<std::string>& why) {
    const auto said = [](const Decision& one) {
        return fmt::format("{} by {}: {}", one.points ? points_text(*one.points) : "withdrawn",
                           printable(one.author), printable(one.reason));
    };
    const std::string then = a.row->decided ? said(*a.row->decided) : "";
    const std::string now = b.row->decided ? said(*b.row->decided) : "";
    if (then == now) return;
    if (!now.empty()) return why.push_back((then.empty() ? "decided: " : "decided anew: ") + now);
    // The second class may be a copy from before the decision: nobody has withdrawn it there.
    why.push_back((b.decision != nullptr ? "the decision is " + said(*b.decision)
                                         : std::string("there is no decision")) +
                  "; it was " + then);
}

void compare_attempts(const Side& a, const Side& b, std::vector<std::string>& why) {
    if (a.standing == nullptr || b.standing == nullptr) return;
    const Grading &x = a.standing->grading, &y = b.standing->grading;
    if (x.submission_sha256 == y.submission_sha256) return;
    // An attempt that was there before and counts now is not another hand-in. Two folders may
    // number attempts differently.
    const bool was_there = std::ranges::any_of(a.all, [&](const Standing* one) {
        return one->grading.submission_sha256 == y.submission_sha256;
    });
    why.push_back(was_there ? fmt::format("attempt {} counts, and {} did (attempts: {})", y.attempt,
                                          x.attempt, name(b.policy.attempts))
                            : fmt::format("another hand-in (attempt {})", y.attempt));
}

/// What makes a hand-in later or less late than it was.
void compare_lateness(const Side& a, const Side& b, std::vector<std::string>& why) {
    if (a.standing == nullptr || b.standing == nullptr) return;
    const auto time = [](const std::optional<std::int64_t>& at) {
        return at ? utc_text(*at) : std::string("none");
    };
    const HandedIn then = a.handed_in(), now = b.handed_in();
    const int days_then = a.days(), days_now = b.days();
    if (days_then != days_now) {
        if (a.policy.deadline != b.policy.deadline)
            why.push_back(
                fmt::format("deadline {} -> {}", time(a.policy.deadline), time(b.policy.deadline)));
        if (then.extension.until != now.extension.until)
            why.push_back(fmt::format(
                "extension {} -> {}{}", time(then.extension.until), time(now.extension.until),
                now.extension.reason.empty() ? "" : ": " + printable(now.extension.reason)));
        if (then.at != now.at)
            why.push_back(fmt::format("handed in {} -> {}", time(then.at), time(now.at)));
    }
    const auto rule = [](const HandInPolicy& policy) {
        return policy.late
                   ? fmt::format("{:g} % a day, {} days, {} s of grace", 100 * policy.late->per_day,
                                 policy.late->days, policy.late->grace_s)
                   : std::string("none");
    };
    if ((days_then > 0 || days_now > 0) && rule(a.policy) != rule(b.policy))
        why.push_back(fmt::format("late: {} -> {}", rule(a.policy), rule(b.policy)));
    if (days_then != days_now)
        why.push_back(fmt::format("days late: {} -> {}", days_then, days_now));
}

void compare_reports(const Standing& a, const Standing& b, std::vector<std::string>& why) {
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
    compare_inputs(a.grading, b.grading, why);
}

std::vector<std::string> reasons(const Side& a, const Side& b) {
    std::vector<std::string> why;
    if (a.row == nullptr) return {"is new"};
    if (b.row == nullptr) return {"is not there any more"};
    compare_decisions(a, b, why);
    if (b.standing == nullptr && a.standing != nullptr)
        why.push_back(b.row->entry.is_missing ? "nothing is handed in now"
                      : b.row->entry.problem.empty()
                          ? "not graded by these rules"
                          : "not graded: " + printable(first_line(b.row->entry.problem)));
    if (a.standing == nullptr && b.standing != nullptr) why.emplace_back("was not graded");
    compare_attempts(a, b, why);
    compare_lateness(a, b, why);
    if (a.standing != nullptr && b.standing != nullptr)
        compare_reports(*a.standing, *b.standing, why);
    if (why.empty()) why.emplace_back("the records do not say why");
    return why;
}

/// The rows of a class by student, with what each mark comes from.
std::map<Who, Side> sides_of(const Class& of, const std::vector<Row>& rows,
                             const std::vector<Rules>& rules) {
    std::map<Who, std::vector<const Standing*>> attempts;
    for (const Standing& one : of.standings)
        attempts[{one.grading.assignment, one.grading.student}].push_back(&one);
    std::map<Who, Side> out;
    std::map<Who, const Decision*> decisions;
    for (const Decision& one : of.decisions) decisions[{one.assignment, one.student}] = &one;
    for (const Row& row : rows) {
        const Who who{row.entry.assignment, row.entry.student};
        const Attempt* chosen = counted(row);
        const Rules* by = find(rules, row.entry.assignment);
        Side& side = out[who];
        side = {.row = &row,
                .all = attempts[who],
                .policy = by != nullptr ? by->hand_ins : HandInPolicy{},
                .decision = decisions[who]};
        for (const Standing* one : side.all)
            if (chosen != nullptr && one->grading.attempt == chosen->number) side.standing = one;
    }
    return out;
}

bool is_same(const Side& a, const Side& b) {
    const Report* x = a.row != nullptr ? a.row->report : nullptr;
    const Report* y = b.row != nullptr ? b.row->report : nullptr;
    return a.mark() == b.mark() && (x != nullptr) == (y != nullptr) &&
           (x == nullptr || is_same(x->score, y->score));
}

/// When it last got a grading or a decision: UTC, ISO 8601. Empty: never.
std::string_view last_change_of(const Class& of) {
    std::string_view last;
    for (const Standing& one : of.standings)
        last = std::max<std::string_view>(last, one.grading.graded_at);
    for (const Decision& one : of.decisions)
        last = std::max<std::string_view>(last, one.decided_at);
    return last;
}

}  // namespace

bool is_from_before(const Class& after, const Class& before) {
    return last_change_of(after) < last_change_of(before);
}

std::vector<Change> changes(const Class& before, const Class& after) {
    const auto& rules_before = before.rules.empty() ? after.rules : before.rules;
    const auto& rules_after = after.rules.empty() ? before.rules : after.rules;
    const auto rows = [](const Class& of, const std::vector<Rules>& rules) {
        return rows_of(of.entries, attempts_of(of.standings, of.rules), rules, of.decisions);
    };
    const auto rows_a = rows(before, rules_before), rows_b = rows(after, rules_after);
    std::map<Who, std::pair<Side, Side>> both;
    for (auto& [who, side] : sides_of(before, rows_a, rules_before)) both[who].first = side;
    for (auto& [who, side] : sides_of(after, rows_b, rules_after)) both[who].second = side;
    std::vector<Change> out;
    for (const auto& [who, pair] : both) {
        const auto& [a, b] = pair;
        if (is_same(a, b)) continue;
        out.push_back({.assignment = who.first,
                       .student = who.second,
                       .before = a.mark(),
                       .after = b.mark(),
                       .possible = b.row != nullptr ? possible_of(*b.row) : 0,
                       .possible_before = a.row != nullptr ? possible_of(*a.row) : 0,
                       .why = reasons(a, b)});
    }
    return out;
}

std::string text_of(const Change& change) {
    const auto points = [](const std::optional<double>& mark) {
        return mark ? points_text(*mark) : std::string("no mark");
    };
    std::string possible;
    if (change.after) possible = fmt::format(" of {}", points_text(change.possible));
    if (change.before && change.after && change.possible_before != change.possible)
        possible += fmt::format(" (were {})", points_text(change.possible_before));
    return fmt::format("{} ({}): {} -> {}{}; {}", printable(change.student), change.assignment,
                       points(change.before), points(change.after), possible,
                       fmt::join(change.why, "; "));
}

}  // namespace cugrade::record

// Which attempt counts, and the rows of a class that come of it.
#include <string>
#include <vector>

#include "catch.hpp"
#include "record/rows.hpp"

using namespace cugrade;
using namespace cugrade::record;

namespace {

constexpr std::int64_t deadline = 1000000, day = 86400;

HandInPolicy policy_of(Attempts attempts) {
    return {
        .deadline = deadline, .late = LatePolicy{.per_day = 0.1, .days = 2}, .attempts = attempts};
}

/// One hand-in: points (below 0: it could not be graded), and days after the deadline.
struct HandIn {
    double points = 0;
    std::int64_t days = 0;
    bool has_other_rules = false;
};

class HandsIn {
public:
    explicit HandsIn(const std::vector<HandIn>& hand_ins) : reports_(hand_ins.size()) {
        for (std::size_t i = 0; i < hand_ins.size(); ++i) {
            reports_[i].score = {.earned = hand_ins[i].points, .judged = 100, .possible = 100};
            attempts_.push_back({.number = static_cast<int>(i) + 1,
                                 .handed_in_at = deadline + hand_ins[i].days * day,
                                 .report = hand_ins[i].points < 0 ? nullptr : &reports_[i],
                                 .problem = hand_ins[i].points < 0 ? "the disk is full" : "",
                                 .has_other_rules = hand_ins[i].has_other_rules});
        }
    }

    [[nodiscard]] Row row(const HandInPolicy& policy, const Extension& extension = {},
                          const std::vector<Decision>& decisions = {}) const {
        return rows_of({{.assignment = "scan",
                         .student = "ada",
                         .listed = std::nullopt,
                         .problem = attempts_.back().problem,
                         .handed_in = {.at = {}, .extension = extension}}},
                       {{{"scan", "ada"}, attempts_}},
                       {{.assignment = "scan", .possible = 100, .hand_ins = policy}}, decisions)
            .at(0);
    }

    /// The number of the attempt that counts, and the mark: "2: 81". "none" without one.
    [[nodiscard]] std::string counts(Attempts rule, const Extension& extension = {}) const {
        const Row row = this->row(policy_of(rule), extension);
        const Attempt* one = counted(row);
        if (one == nullptr) return row.mark ? "a mark of nothing" : "none";
        CHECK(row.report == one->report);
        return std::to_string(one->number) + ": " +
               std::to_string(static_cast<int>(row.mark->points));
    }

private:
    std::vector<Report> reports_;
    std::vector<Attempt> attempts_;
};

}  // namespace

TEST_CASE("which attempt counts: best, last and final") {
    struct Case {
        std::vector<HandIn> hand_ins;
        const char *best, *last, *final;
    };
    const std::vector<Case> cases{
        {{{60}}, "1: 60", "1: 60", "1: 60"},
        {{{80}, {60}}, "1: 80", "2: 60", "2: 60"},
        {{{60}, {60}}, "2: 60", "2: 60", "2: 60"},  // equal: the newest
        // A day late costs 10 %: lateness is taken off before marks are compared.
        {{{80}, {88, 1}}, "1: 80", "2: 79", "2: 79"},
        {{{80}, {90, 1}}, "2: 81", "2: 81", "2: 81"},
        // After all late days a hand-in earns nothing. Under `final` it takes nothing away either.
        {{{80}, {100, 3}}, "1: 80", "2: 0", "1: 80"},
        {{{70}, {80, 2}, {100, 3}, {100, 4}}, "1: 70", "4: 0", "2: 64"},
        {{{50, 3}, {100, 4}}, "2: 0", "2: 0", "2: 0"},
        // What could not be graded takes nothing away.
        {{{80}, {-1}}, "1: 80", "1: 80", "1: 80"},
        {{{-1}, {-1}}, "none", "none", "none"},
        {{{-1}, {5}}, "2: 5", "2: 5", "2: 5"},
        // Points by other rules are not compared.
        {{{90, 0, true}, {60}}, "2: 60", "2: 60", "2: 60"},
        {{{60}, {90, 0, true}}, "1: 60", "1: 60", "1: 60"},
    };
    for (std::size_t i = 0; i < cases.size(); ++i) {
        INFO("case " << i);
        const HandsIn student(cases[i].hand_ins);
        CHECK(student.counts(Attempts::best) == cases[i].best);
        CHECK(student.counts(Attempts::last) == cases[i].last);
        CHECK(student.counts(Attempts::last_in_time) == cases[i].final);
    }
    // An extension moves the end of the late days, too.
    const HandsIn late({{80}, {90, 4}});
    CHECK(late.counts(Attempts::last_in_time) == "1: 80");
    CHECK(late.counts(Attempts::last_in_time, {.until = deadline + 3 * day, .reason = ""}) ==
          "2: 81");
}

TEST_CASE("a mark says which attempt it comes from, if that is not the newest") {
    const auto why = [](const std::vector<HandIn>& hand_ins, Attempts rule) {
        return HandsIn(hand_ins).row(policy_of(rule)).mark->why;
    };
    CHECK(why({{80}, {60}}, Attempts::last).empty());
    CHECK(why({{80}, {60}}, Attempts::best) == "attempt 1 of 2 counts: it has the highest mark");
    CHECK(why({{80, 1}, {60}}, Attempts::best) ==
          "attempt 1 of 2 counts: it has the highest mark; 1 day late: 80 -> 72");
    CHECK(why({{80}, {60, 3}}, Attempts::last_in_time) ==
          "attempt 1 of 2 counts: the newest came too late");
    CHECK(why({{80}, {-1}}, Attempts::last) == "attempt 1 of 2 counts: the newest is not graded");
    CHECK(why({{80}, {90, 0, true}}, Attempts::best) ==
          "attempt 1 of 2 counts: the newest was graded by other rules");
}

TEST_CASE("why an attempt does not count") {
    const auto reasons = [](const std::vector<HandIn>& hand_ins, Attempts rule) {
        std::vector<std::string> out;
        for (const Attempt& one : HandsIn(hand_ins).row(policy_of(rule)).attempts)
            out.push_back(why_not(one, rule));
        return out;
    };
    using Reasons = std::vector<std::string>;
    CHECK(reasons({{80}, {60}, {-1}}, Attempts::last) ==
          Reasons{"a newer one counts", "", "not graded: the disk is full"});
    CHECK(reasons({{80}, {60, 3}, {9, 0, true}}, Attempts::last_in_time) ==
          Reasons{"", "too late", "graded by other rules than the class"});
    CHECK(reasons({{80}, {60}}, Attempts::best) ==
          Reasons{"", "another has a higher mark, or the same and is newer"});
}

TEST_CASE("a decision is a mark, also of who has none") {
    const Decision decided{"scan", "ada", 70, "an exam on paper", "prof", "t"};
    const Row graded = HandsIn({HandIn{80}}).row(policy_of(Attempts::last), {}, {decided});
    CHECK(graded.mark->points == 70);
    CHECK(graded.mark->why == "80 -> 70 by prof, t: an exam on paper");
    const Row failed = HandsIn({HandIn{-1}}).row(policy_of(Attempts::last), {}, {decided});
    CHECK(failed.report == nullptr);
    CHECK(failed.mark->points == 70);
    CHECK(failed.mark->why == "no mark -> 70 by prof, t: an exam on paper");
    CHECK_FALSE(is_pending(failed));
    // Of an assignment at which nobody has handed in, about somebody of the class.
    const std::vector<Entry> entries{
        {.assignment = "map", .student = "ada", .listed = record::Student{.id = "ada"}}};
    Decision nobody = decided;
    nobody.student = "eve";
    const auto rows =
        rows_of(entries, {}, {{.assignment = "scan", .possible = 90}}, {decided, nobody});
    REQUIRE(rows.size() == 2);
    CHECK(is_pending(rows[0]));
    CHECK(rows[1].entry.assignment == "scan");
    CHECK(rows[1].entry.is_missing);
    CHECK(rows[1].entry.listed->id == "ada");
    CHECK(rows[1].mark->points == 70);
    CHECK(possible_of(rows[1]) == 90);
}

TEST_CASE("attempts of other rules than the class are told by what they depend on") {
    const auto standing = [](int attempt, std::string inputs) {
        return Standing{{.assignment = "scan",
                         .student = "ada",
                         .inputs = std::move(inputs),
                         .attempt = attempt},
                        Report{}};
    };
    const std::vector<Standing> standings{standing(1, "submission a\npolicy p\nsecret s\n"),
                                          standing(2, "submission b\npolicy q\nsecret t\n")};
    const auto others = [&](const std::vector<Rules>& rules) {
        const auto by_student = attempts_of(standings, rules);
        std::vector<bool> out;
        for (const Attempt& one : by_student.at({"scan", "ada"}))
            out.push_back(one.has_other_rules);
        return out;
    };
    CHECK(others({{.assignment = "scan", .inputs = "policy p\n"}}) == std::vector{false, true});
    CHECK(others({{.assignment = "scan", .inputs = "policy q\n"}}) == std::vector{true, false});
    CHECK(others({}) == std::vector{true, false});  // as the newest
}

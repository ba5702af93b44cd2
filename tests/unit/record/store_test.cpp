// The record of a class, and points that are computed from it.
#include <sqlite3.h>

#include <filesystem>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "catch.hpp"
#include "core/files.hpp"
#include "record/changes.hpp"
#include "record/facts.hpp"
#include "record/inputs.hpp"
#include "record/record.hpp"
#include "record/rows.hpp"
#include "report/format.hpp"
#include "report/seal.hpp"
#include "scoring/score.hpp"

using namespace cugrade;
using namespace cugrade::record;

namespace {

namespace fs = std::filesystem;

TemporaryFolder folder() {
    auto made = TemporaryFolder::make("test");
    if (!made) FAIL(made.error().text());
    return *std::move(made);
}

Record opened(const fs::path& in) {
    auto record = Record::open(in);
    if (!record) FAIL(record.error().text());
    return *std::move(record);
}

Grading grading(const std::string& student, const std::string& sha256 = "a") {
    return {.assignment = "scan",
            .student = student,
            .submission_sha256 = sha256,
            .inputs = "submission " + sha256 + "\npolicy p\n",
            .graded_at = "2026-11-24T21:30:00Z",
            .report = "{}",
            .facts = "{\"tasks\":[]}"};
}

void add(Record& record, const seal::Key& key, std::vector<Grading> gradings) {
    const auto status = record.add(key, std::move(gradings));
    if (!status) FAIL(status.error().text());
}

std::vector<Record::Kept> attempts(const Record& record, const seal::Key& key) {
    auto found = record.attempts(key);
    if (!found) FAIL(found.error().text());
    return *std::move(found);
}

/// The tables of cugrade 0.1, as it made them.
constexpr const char* version_1 = R"(
CREATE TABLE grading(
  id INTEGER PRIMARY KEY,
  assignment TEXT NOT NULL,
  student TEXT NOT NULL,
  attempt INTEGER NOT NULL,
  submission_sha256 TEXT NOT NULL,
  inputs TEXT NOT NULL,
  graded_at TEXT NOT NULL,
  report TEXT NOT NULL,
  facts TEXT NOT NULL,
  problem TEXT NOT NULL,
  mac TEXT NOT NULL);
CREATE INDEX grading_of ON grading(assignment, student, attempt);
CREATE TABLE entry(
  place INTEGER PRIMARY KEY,
  assignment TEXT NOT NULL,
  student TEXT NOT NULL,
  is_listed INTEGER NOT NULL,
  id TEXT NOT NULL, name TEXT NOT NULL, lms_id TEXT NOT NULL, section TEXT NOT NULL, email TEXT NOT NULL,
  participant TEXT NOT NULL,
  is_missing INTEGER NOT NULL,
  handed_in_at INTEGER,
  extended_until INTEGER,
  extended_because TEXT NOT NULL);
CREATE TABLE decision(
  id INTEGER PRIMARY KEY,
  assignment TEXT NOT NULL,
  student TEXT NOT NULL,
  points REAL,
  reason TEXT NOT NULL,
  author TEXT NOT NULL,
  decided_at TEXT NOT NULL,
  mac TEXT NOT NULL);
PRAGMA application_id = 1668638578;
PRAGMA user_version = 1;
)";

/// As somebody would who can write the file and has no key.
void change(const fs::path& in, const std::string& statement) {
    sqlite3* other = nullptr;
    REQUIRE(sqlite3_open(record_file(in).c_str(), &other) == SQLITE_OK);
    const int result = sqlite3_exec(other, statement.c_str(), nullptr, nullptr, nullptr);
    const int changed = sqlite3_changes(other);
    sqlite3_close(other);
    REQUIRE(result == SQLITE_OK);
    REQUIRE(changed > 0);
}

}  // namespace

TEST_CASE("of each attempt the last grading holds, and attempts are numbered by hand-ins") {
    const auto in = folder();
    const seal::Key key = seal::Key::of_this_run();
    {
        Record record = opened(in.path());
        CHECK(attempts(record, key).empty());
        add(record, key, {grading("bob"), grading("ada")});
        add(record, key, {grading("ada")});
        CHECK(attempts(record, key).size() == 2);  // graded again, not handed in again
        add(record, key, {grading("ada", "b")});
        Grading back = grading("ada", "a");  // to what was there first
        back.handed_in_at = 7;
        const auto numbers = record.add(key, {back});
        REQUIRE(numbers);
        CHECK(*numbers == std::vector<int>{3});
        Grading rescored = grading("ada");  // another grading of the first attempt
        rescored.attempt = 1;
        rescored.report = "{ }";
        add(record, key, {rescored});
    }
    const Record record = opened(in.path());
    const auto found = attempts(record, key);
    REQUIRE(found.size() == 4);
    for (int n = 1; n <= 3; ++n) {
        const auto& one = found[static_cast<std::size_t>(n - 1)].grading;
        CHECK(one.student == "ada");
        CHECK(one.attempt == n);
        CHECK(one.submission_sha256 == (n == 2 ? "b" : "a"));
        CHECK(one.report == (n == 1 ? "{ }" : "{}"));
        CHECK(one.handed_in_at == (n == 3 ? std::optional<std::int64_t>(7) : std::nullopt));
    }
    CHECK(found[3].grading.student == "bob");
    for (const auto& one : found) CHECK(one.is_ours);
    for (const auto& one : attempts(record, seal::Key::of_this_run())) CHECK_FALSE(one.is_ours);
}

TEST_CASE("a record of version 1 opens, with its gradings, and takes new ones") {
    const auto in = folder();
    const seal::Key key = seal::Key::of_this_run();
    const std::string mac =
        key.mac("grading", {"scan", "ada", "1", "a", "policy p\n", "t", "", "{}", "late disk"});
    const std::string rows =
        version_1 +
        ("INSERT INTO grading VALUES(1, 'scan', 'ada', 1, 'a', 'policy p\n', 't', '', '{}', "
         "'late disk', '" +
         mac +
         "'); INSERT INTO entry VALUES(1, 'scan', 'ada', 1, 'ada', 'Ada', '5', 'A', '', '', 0, 99, "
         "NULL, '')");
    sqlite3* old = nullptr;
    REQUIRE(sqlite3_open(record_file(in.path()).c_str(), &old) == SQLITE_OK);
    const int made = sqlite3_exec(old, rows.c_str(), nullptr, nullptr, nullptr);
    sqlite3_close(old);
    REQUIRE(made == SQLITE_OK);

    Record record = opened(in.path());
    auto found = attempts(record, key);
    REQUIRE(found.size() == 1);
    CHECK(found[0].is_ours);
    CHECK(found[0].grading.problem == "late disk");
    CHECK_FALSE(found[0].grading.handed_in_at);
    const auto all = read_class(record, key);
    REQUIRE(all);
    CHECK(all->entries.at(0).listed->lms_id == "5");
    CHECK(all->rules.empty());
    CHECK(all->rows().at(0).attempts.at(0).handed_in_at == 99);  // which was the entry's

    Grading next = grading("ada", "b");
    next.handed_in_at = 100;
    add(record, key, {next});
    REQUIRE(record.set_class(all->entries, {{.assignment = "scan", .possible = 5}}));
    found = attempts(opened(in.path()), key);
    REQUIRE(found.size() == 2);
    CHECK(found[0].is_ours);
    CHECK(found[1].is_ours);
    CHECK(found[1].grading.handed_in_at == 100);
    // Nobody gives an old line a time.
    change(in.path(), "UPDATE grading SET handed_in_at = 1 WHERE attempt = 1");
    change(in.path(), "UPDATE grading SET handed_in_at = NULL WHERE attempt = 2");
    for (const auto& one : attempts(opened(in.path()), key)) CHECK_FALSE(one.is_ours);
}

TEST_CASE("a line of the record that somebody else has written is not the grader's") {
    for (const char* statement :
         {"UPDATE grading SET report = '{ }'", "UPDATE grading SET student = 'bob'",
          "UPDATE grading SET assignment = 'reduction'",
          "UPDATE grading SET inputs = inputs || ' '", "UPDATE grading SET submission_sha256 = 'b'",
          "UPDATE grading SET facts = '{}'", "UPDATE grading SET attempt = 2",
          "UPDATE grading SET problem = 'x'", "UPDATE grading SET graded_at = ''",
          "UPDATE grading SET mac = upper(mac)", "UPDATE grading SET handed_in_at = 6",
          "UPDATE grading SET handed_in_at = NULL",
          "UPDATE grading SET report = inputs, inputs = report"}) {
        INFO(statement);
        const auto in = folder();
        const seal::Key key = seal::Key::of_this_run();
        {
            Record record = opened(in.path());
            Grading timed = grading("ada");
            timed.handed_in_at = 5;
            add(record, key, {timed});
        }
        change(in.path(), statement);
        const Record record = opened(in.path());
        const auto found = attempts(record, key);
        REQUIRE(found.size() == 1);
        CHECK_FALSE(found[0].is_ours);
        CHECK_FALSE(standings(record, key));
    }
}

TEST_CASE("a record keeps names that are no UTF-8, and texts with zeros") {
    const auto in = folder();
    const seal::Key key = seal::Key::of_this_run();
    Record record = opened(in.path());
    Grading odd = grading("\xff\xfe");
    odd.problem = std::string("a\0b", 3);
    add(record, key, {odd});
    const auto found = attempts(record, key);
    REQUIRE(found.size() == 1);
    CHECK(found[0].grading.student == "\xff\xfe");
    CHECK(found[0].grading.problem == odd.problem);
    CHECK(found[0].is_ours);
}

TEST_CASE("several threads write one record, and none of their lines is lost") {
    const auto in = folder();
    const seal::Key key = seal::Key::of_this_run();
    Record record = opened(in.path());
    constexpr int threads = 4, each = 25;
    std::vector<std::thread> all;
    for (int t = 0; t < threads; ++t)
        all.emplace_back([&, t] {
            for (int i = 0; i < each; ++i)
                (void)record.add(key, {grading("s" + std::to_string(t), std::to_string(i))});
        });
    for (auto& thread : all) thread.join();
    const auto found = attempts(record, key);
    REQUIRE(found.size() == threads * each);
    for (std::size_t i = 0; i < found.size(); ++i) {
        CHECK(found[i].grading.attempt == static_cast<int>(i % each) + 1);
        CHECK(found[i].is_ours);
    }
}

TEST_CASE("the class is kept in its order") {
    const auto in = folder();
    Record record = opened(in.path());
    const std::vector<Entry> entries{
        {.assignment = "scan",
         .student = "s2",
         .listed =
             Student{.id = "s2", .name = "Bob", .lms_id = "88", .section = "A", .email = "b@x"},
         .participant = "7",
         .handed_in = {.at = 5, .extension = {.until = {}, .reason = "x"}}},
        {.assignment = "scan", .student = "eve", .listed = {}},
        {.assignment = "scan", .student = "s1", .listed = Student{.id = "s1"}, .is_missing = true}};
    const std::vector<Rules> rules{
        {.assignment = "map", .title = "Map", .possible = 9.5},
        {.assignment = "scan",
         .title = "Scan",
         .possible = 100,
         .hand_ins = {.deadline = 6,
                      .late = LatePolicy{.per_day = 0.25, .days = 3, .grace_s = 60},
                      .attempts = Attempts::last_in_time},
         .inputs = "policy p\n"}};
    REQUIRE(record.set_class(entries, rules));
    REQUIRE(record.set_class(entries, rules));
    Grading refused = grading("eve");
    refused.problem = "two submissions";
    add(record, seal::Key::of_this_run(), {grading("eve"), refused});
    const auto read = record.entries();
    REQUIRE(read);
    REQUIRE(read->size() == 3);
    CHECK((*read)[0].listed->lms_id == "88");
    CHECK((*read)[0].listed->email == "b@x");
    CHECK((*read)[0].participant == "7");
    CHECK((*read)[0].handed_in.at == 5);
    CHECK_FALSE((*read)[0].handed_in.extension.until);
    CHECK((*read)[0].handed_in.extension.reason == "x");
    CHECK_FALSE((*read)[1].handed_in.at);
    CHECK((*read)[1].problem == "two submissions");
    CHECK_FALSE((*read)[1].listed);
    CHECK((*read)[2].is_missing);
    CHECK((*read)[2].student == "s1");
    const auto read_rules = record.rules();
    REQUIRE(read_rules);
    REQUIRE(read_rules->size() == 2);
    CHECK(read_rules->at(0).possible == 9.5);
    CHECK_FALSE(read_rules->at(0).hand_ins.late);
    const Rules& scan = read_rules->at(1);
    CHECK(scan.title == "Scan");
    CHECK(scan.hand_ins.deadline == 6);
    CHECK(scan.hand_ins.late->per_day == 0.25);
    CHECK(scan.hand_ins.late->days == 3);
    CHECK(scan.hand_ins.late->grace_s == 60);
    CHECK(scan.hand_ins.attempts == Attempts::last_in_time);
    CHECK(scan.inputs == "policy p\n");
    // Rules may change with gradings.
    const std::vector<Rules> others{{.assignment = "scan", .possible = 50}};
    REQUIRE(record.add(seal::Key::of_this_run(), {}, &others));
    CHECK(record.rules()->size() == 1);
    CHECK(record.rules()->at(0).possible == 50);
}

TEST_CASE("what is no record is an error that says so") {
    const auto in = folder();
    CHECK(Record::existing(in.path()).error().kind == ErrorKind::usage);
    REQUIRE(write_atomically(record_file(in.path()), std::string(8192, 'x')));
    CHECK(Record::open(in.path()).error().text().find("not a database") != std::string::npos);
    fs::remove(record_file(in.path()));
    { const Record record = opened(in.path()); }
    change(in.path(), "PRAGMA user_version = 99; CREATE TABLE t(a); INSERT INTO t VALUES(1)");
    CHECK(Record::open(in.path()).error().message == "the record of a newer cugrade");
    fs::remove(record_file(in.path()));
    change(in.path(), "PRAGMA user_version = 1; CREATE TABLE t(a); INSERT INTO t VALUES(1)");
    CHECK(Record::open(in.path()).error().message == "a database of another program");
    CHECK_FALSE(Record::open(in.path() / "nowhere"));
}

TEST_CASE("lines of inputs") {
    const std::string inputs = "submission a\npolicy p q\ntask x\n";
    CHECK(value_in(inputs, "policy") == "p q");
    CHECK(value_in(inputs, "task") == "x");
    CHECK(value_in(inputs, "pol").empty());
    CHECK(value_in(inputs, "device").empty());
    CHECK(with_value(inputs, "policy", "new") == "submission a\npolicy new\ntask x\n");
    CHECK(with_value(inputs, "device", "new") == inputs);
    CHECK(rules_in("policy a\nsecret s\nrules r\nassignment x\ntask a\ntask b\n") ==
          "policy a\nrules r\nassignment x\ntask a\ntask b\n");
}

TEST_CASE("what lateness costs, and whose word counts") {
    constexpr std::int64_t day = 86400, deadline = 1000000;
    AssignmentPolicy policy;
    policy.deadline = deadline;
    policy.late = LatePolicy{.per_day = 0.1, .days = 3, .grace_s = 600};
    const Score score{.earned = 33.33, .judged = 40, .possible = 50};
    struct Case {
        std::int64_t at;
        int days;
        double points;
    };
    for (const Case& one : {Case{0, 0, 33.33},
                            {deadline, 0, 33.33},
                            {deadline + 600, 0, 33.33},
                            {deadline + 601, 1, 30},
                            {deadline + day, 1, 30},
                            {deadline + day + 1, 2, 26.66},
                            {deadline + 3 * day, 3, 23.33},
                            {deadline + 3 * day + 1, 4, 0}}) {
        INFO(one.at);
        const HandedIn at{.at = one.at, .extension = {}};
        CHECK(days_late(at, policy) == one.days);
        CHECK(is_too_late(at, policy) == (one.days > 3));
        CHECK(mark_of(score, at, policy).points == one.points);
        CHECK(mark_of(score, at, policy).why.empty() == (one.days == 0));
    }
    CHECK(mark_of(score, HandedIn{}, policy).points == 33.33);  // nobody knows when
    const HandedIn extended{.at = deadline + day,
                            .extension = {.until = deadline + day, .reason = "ill"}};
    CHECK(mark_of(score, extended, policy).points == 33.33);
    CHECK(mark_of(score, extended, policy).why == "in time by an extension: ill");
    const HandedIn earlier{.at = deadline, .extension = {.until = deadline - day, .reason = ""}};
    CHECK(days_late(earlier, policy) == 0);  // an extension takes nothing away
    const HandedIn late{.at = deadline + 9 * day, .extension = {}};
    const Decision decided{"scan", "ada", 40.5, "wrong handout", "prof", "2026-11-24T21:30:00Z"};
    const Mark mark = mark_of(decided, score.earned);
    CHECK(mark.points == 40.5);
    CHECK(mark.why == "33.33 -> 40.5 by prof, 2026-11-24T21:30:00Z: wrong handout");
    CHECK(mark_of(decided, {}).why ==
          "no mark -> 40.5 by prof, 2026-11-24T21:30:00Z: wrong handout");
    CHECK(mark_of(score, late, HandInPolicy{}).points == 33.33);
}

TEST_CASE("decisions hold until the next one, and are the grader's own") {
    const auto in = folder();
    const seal::Key key = seal::Key::of_this_run();
    Record record = opened(in.path());
    const Decision first{"scan", "ada", 1.5, "a", "prof", "t"};
    for (const auto& one : {first, Decision{"scan", "bob", 2, "b", "prof", "t"},
                            Decision{"scan", "ada", 3.25, "c", "prof", "t"},
                            Decision{"scan", "bob", {}, "d", "prof", "t"}})
        REQUIRE(record.decide(key, one));
    const auto found = record.decisions(key);
    REQUIRE(found);
    REQUIRE(found->size() == 2);
    CHECK(found->at(0).points == 3.25);
    CHECK(found->at(0).reason == "c");
    CHECK(found->at(1).student == "bob");
    CHECK_FALSE(found->at(1).points);
    CHECK(found->at(1).reason == "d");
    CHECK_FALSE(record.decisions(seal::Key::of_this_run()));
}

// ---- Points from the record ------------------------------------------------------------------

namespace {

AssignmentSpec assignment() {
    AssignmentSpec out;
    out.id = "scan";
    TaskSpec task;
    task.name = "sum";
    for (int id = 1; id <= 4; ++id) {
        CaseSpec one;
        one.id = id;
        one.visibility = id > 2 ? Visibility::hidden : Visibility::open;
        task.cases.push_back(one);
    }
    out.tasks.push_back(task);
    return out;
}

GradingPolicy policy(const TaskPolicy& task) {
    GradingPolicy out;
    out.assignments["scan"].tasks["sum"] = task;
    out.sha256 = "new";
    return out;
}

TaskPolicy worth(double hidden_weight = 1) {
    return {.correctness = 20,
            .performance = 10,
            .technique = 4,
            .hidden_weight = hidden_weight,
            .tiers = {{2, 0.5}, {8, 1}},
            .limits = {{"sectors_per_needed", 1.5}}};
}

/// One letter for each case: accepted, wrong, skipped.
TaskOutcome outcome(const std::string& letters, std::optional<double> speedup, bool counted) {
    TaskOutcome out{.name = "sum"};
    for (std::size_t i = 0; i < letters.size(); ++i) {
        CaseOutcome one;
        one.id = static_cast<int>(i) + 1;
        one.verdict = letters[i] == 'a'   ? Verdict::accepted
                      : letters[i] == 'w' ? Verdict::wrong_answer
                                          : Verdict::skipped;
        out.cases.push_back(one);
    }
    if (speedup)
        out.timing = TimingOutcome{.basis = TimingOutcome::Basis::modelled,
                                   .speedup = *speedup,
                                   .low = *speedup,
                                   .high = *speedup};
    if (counted)
        out.counters = {{"sectors_per_needed", 1.50004, SourceLocation{"a.cu", 3, 0}},
                        {"host_launches", 2, {}}};
    return out;
}

Report graded(const TaskPolicy& by, const TaskOutcome& of) {
    Report report;
    report.assignment = "scan";
    report.tasks = {score_task(assignment().tasks[0], by, of)};
    report.score = total(report.tasks);
    report.verdict = report.tasks[0].verdict;
    report.policy_sha256 = "old";
    return report;
}

/// As the record has it: the report is rounded for its readers.
Result<Report> from_record(const Report& then, const TaskPolicy& policy_then,
                           const GradingPolicy& by) {
    const seal::Key key = seal::Key::of_this_run();
    const auto text = report::find("json")->write(
        report::sealed(then, {.key = key, .signing = std::nullopt}), {});
    auto read = report::read_report(text);
    if (!read) return read.error();
    return rescored(*std::move(read),
                    facts_of(then, assignment(), policy(policy_then).assignments.at("scan")),
                    assignment(), by);
}

}  // namespace

TEST_CASE("points from the record are those that grading gives under that policy") {
    auto stricter = worth(3);
    stricter.limits = {{"host_launches", 1}, {"sectors_per_needed", 1.6}};
    stricter.tiers = {{2.0006, 0.25}, {4, 0.75}};
    auto all = worth();
    all.require = Require::all;
    auto only_right = worth();
    only_right.performance = only_right.technique = 0;
    int compared = 0;
    for (const auto& then : {worth(), stricter})
        for (const auto& now : {worth(), stricter, all, only_right})
            for (const char* cases : {"aaaa", "aawa", "wwww", "aass", "ssss"})
                // 2.0004 is shown as 2, and is between the tiers of the two policies.
                for (const auto& speedup : {std::optional(2.0004), std::optional(9.0)})
                    for (const bool on_host : {false, true}) {
                        auto of = outcome(cases, speedup, true);
                        if (on_host) of.host_work.emplace();
                        INFO(cases << " " << *speedup << " " << on_host);
                        const auto again = from_record(graded(then, of), then, policy(now));
                        REQUIRE(again);
                        const Report expected = graded(now, of);
                        CHECK((again->score.earned == expected.score.earned));
                        CHECK((again->score.judged == expected.score.judged));
                        CHECK((again->score.possible == expected.score.possible));
                        CHECK(again->tasks[0].credit == expected.tasks[0].credit);
                        CHECK(again->tasks[0].next_tier == expected.tasks[0].next_tier);
                        CHECK(again->policy_sha256 == "new");
                        CHECK_FALSE(again->seal);
                        ++compared;
                    }
    CHECK(compared == 2 * 4 * 5 * 2 * 2);
}

TEST_CASE("what was neither timed nor counted has to be graded, if the policy now asks for it") {
    auto only_right = worth();
    only_right.performance = only_right.technique = 0;
    const auto report = graded(only_right, outcome("aaaa", {}, false));
    const auto timed = from_record(report, only_right, policy(worth()));
    REQUIRE_FALSE(timed);
    CHECK(timed.error().message == "sum: its speed was not measured");
    auto technique = worth();
    technique.performance = 0;
    CHECK(from_record(report, only_right, policy(technique)).error().message ==
          "sum: nothing was counted for its technique");
    CHECK(from_record(report, only_right, policy(only_right)));
    // All cases were required, and one is wrong: nothing was counted and timed.
    auto all = worth();
    all.require = Require::all;
    const auto strict = graded(all, outcome("aawa", {}, false));
    CHECK(from_record(strict, all, policy(all)));
    CHECK_FALSE(from_record(strict, all, policy(worth())));
    // It was partly right, and what was tried of its speed failed: that is the outcome.
    CHECK(from_record(graded(worth(), outcome("aawa", {}, false)), worth(), policy(worth(3))));
    // It failed: there is nothing to time under any policy.
    CHECK(from_record(graded(worth(), outcome("wwww", {}, false)), worth(), policy(worth())));
}

TEST_CASE("facts that are none are an error") {
    const auto report = graded(worth(), outcome("aaaa", 2, true));
    for (const char* facts :
         {"", "[]", "{}", "{\"tasks\":[{}]}", "{\"tasks\":[{\"name\":\"sum\"}]}",
          "{\"tasks\":[{\"name\":\"sum\",\"counters\":3,\"host_work\":0}]}",
          "{\"tasks\":[{\"name\":\"sum\",\"counters\":[],\"host_work\":false}]}"})
        CHECK_FALSE(rescored(report, facts, assignment(), policy(worth())));
}

namespace {

Standing standing(const Report& report, const char* sha256 = "a", int attempt = 1,
                  std::optional<std::int64_t> at = {}) {
    Grading of = grading("ada", sha256);
    of.attempt = attempt;
    of.handed_in_at = at;
    return {of, report};
}

Class class_of(std::vector<Standing> attempts, HandInPolicy policy = {}) {
    return {.entries = {{.assignment = "scan", .student = "ada", .listed = std::nullopt}},
            .standings = std::move(attempts),
            .rules = {{.assignment = "scan",
                       .title = "Scan",
                       .possible = 34,
                       .hand_ins = policy,
                       .inputs = "policy p\n"}},
            .decisions = {}};
}

/// The text of the only change.
std::string change_of(const Class& before, const Class& after) {
    const auto found = changes(before, after);
    REQUIRE(found.size() == 1);
    return text_of(found[0]);
}

constexpr std::int64_t deadline = 1795993140;  // 2026-11-29T22:59:00Z
constexpr std::int64_t day = 86400;

HandInPolicy policy_of(Attempts attempts) {
    return {
        .deadline = deadline, .late = LatePolicy{.per_day = 0.1, .days = 2}, .attempts = attempts};
}

}  // namespace

TEST_CASE("a change of marks tells what changed") {
    const Class then = class_of({standing(graded(worth(), outcome("aaaa", 3, true)))});
    auto tiers = worth();
    tiers.tiers = {{3, 1}};
    CHECK(changes(then, then).empty());
    CHECK(change_of(then, class_of({standing(graded(tiers, outcome("aaaa", 3, true)))})) ==
          "ada (scan): 25 -> 30 of 34; sum: speed 5 -> 10 (tiers: 3 times the baseline now earns "
          "100 %)");
    const std::string text =
        change_of(then, class_of({standing(graded(worth(), outcome("aawa", 3, true)), "b", 2)}));
    for (const char* part : {"sum: correctness 20 -> 15", "case 3 was accepted, is wrong_answer",
                             "another hand-in (attempt 2)"}) {
        INFO(text);
        CHECK(text.find(part) != std::string::npos);
    }
    Class failed = then;
    failed.standings[0].report.reset();
    failed.entries[0].problem = failed.standings[0].grading.problem = "the disk is full";
    CHECK(change_of(then, failed) == "ada (scan): 25 -> no mark; not graded: the disk is full");
    CHECK(changes({}, then).at(0).why == std::vector<std::string>{"is new"});
    CHECK(changes(then, {}).at(0).why == std::vector<std::string>{"is not there any more"});
}

TEST_CASE(
    "a mark changes by deadlines, extensions, decisions and attempts, and compare says by which") {
    const Report report = graded(worth(), outcome("aaaa", 3, true));
    const Class late =
        class_of({standing(report, "a", 1, deadline + 60)}, policy_of(Attempts::last));
    CHECK(late.rows().at(0).mark->points == 22.5);
    Class other = late;
    other.rules[0].hand_ins.deadline = deadline + day;
    CHECK(change_of(late, other) ==
          "ada (scan): 22.5 -> 25 of 34; deadline 2026-11-29T22:59:00Z -> 2026-11-30T22:59:00Z; "
          "days late: 1 -> 0");
    other = late;
    other.entries[0].handed_in.extension = {.until = deadline + day, .reason = "ill"};
    CHECK(change_of(late, other) ==
          "ada (scan): 22.5 -> 25 of 34; extension none -> 2026-11-30T22:59:00Z: ill; "
          "days late: 1 -> 0");
    other = late;
    other.standings[0].grading.handed_in_at = deadline + day + 1;
    CHECK(change_of(late, other) ==
          "ada (scan): 22.5 -> 20 of 34; handed in 2026-11-29T23:00:00Z -> 2026-11-30T22:59:01Z; "
          "days late: 1 -> 2");
    other = late;
    other.rules[0].hand_ins.late->per_day = 0.2;
    CHECK(change_of(late, other) ==
          "ada (scan): 22.5 -> 20 of 34; late: 10 % a day, 2 days, 0 s of grace -> 20 % a day, "
          "2 days, 0 s of grace");
    other = late;
    other.decisions = {{"scan", "ada", 30, "wrong handout", "prof", "t"}};
    CHECK(change_of(late, other) ==
          "ada (scan): 22.5 -> 30 of 34; decided: 30 by prof: wrong handout");
    CHECK(change_of(other, late) ==
          "ada (scan): 30 -> 22.5 of 34; there is no decision; it was 30 by prof: wrong handout");
    Class taken_back = late;
    taken_back.decisions = {{"scan", "ada", std::nullopt, "a mistake", "dean", "u"}};
    CHECK(
        change_of(other, taken_back) ==
        "ada (scan): 30 -> 22.5 of 34; the decision is withdrawn by dean: a mistake; it was 30 by "
        "prof: wrong handout");
    CHECK_FALSE(is_from_before(taken_back, other));
    CHECK(is_from_before(late, other));
    CHECK_FALSE(is_from_before(other, late));
    CHECK_FALSE(is_from_before(late, late));
    // The mark stays, and the points do not: that is worth a line, too.
    Class better = other;
    better.standings[0].report = graded(worth(), outcome("aaaa", 9, true));
    CHECK(change_of(other, better).starts_with("ada (scan): 30 -> 30 of 34; sum: speed 5 -> 10"));

    const Report wrong = graded(worth(), outcome("wwww", {}, false));
    const Class two = class_of({standing(report, "a", 1), standing(wrong, "b", 2)});
    other = two;
    other.rules[0].hand_ins.attempts = Attempts::best;
    const std::string text = change_of(two, other);
    INFO(text);
    CHECK(text.starts_with(
        "ada (scan): 0 -> 25 of 34; attempt 1 counts, and 2 did (attempts: best)"));
    // An older cugrade kept no rules: those of the other record hold for both.
    Class old = late;
    old.rules.clear();
    CHECK(changes(old, late).empty());
    CHECK(changes(late, old).empty());
}

// The pages of a class: counts, order, escapes, sizes.
#include <string>
#include <vector>

#include "catch.hpp"
#include "record/class_page.hpp"
#include "record/class_sample.hpp"
#include "record/class_summary.hpp"
#include "record/class_table.hpp"
#include "report/formats.hpp"
#include "report/html_report.hpp"

using namespace cugrade;
using namespace cugrade::record;

namespace {

bool holds(std::string_view text, std::string_view part) {
    return text.find(part) != std::string_view::npos;
}

std::size_t count_of(std::string_view text, std::string_view part) {
    std::size_t count = 0;
    for (auto at = text.find(part); at != std::string_view::npos; at = text.find(part, at + 1))
        ++count;
    return count;
}

Row row_of(std::string student, std::string assignment, const Report* report = nullptr) {
    return {.entry = {.assignment = std::move(assignment),
                      .student = std::move(student),
                      .listed = std::nullopt},
            .report = report};
}

}  // namespace

TEST_CASE("quartiles lie between values") {
    const Quartiles five = quartiles_of({5, 1, 4, 2, 3});
    CHECK(five.least == 1);
    CHECK(five.low == 2);
    CHECK(five.median == 3);
    CHECK(five.high == 4);
    CHECK(five.most == 5);
    CHECK(quartiles_of({1, 2}).median == 1.5);
    CHECK(quartiles_of({7}).high == 7);
    CHECK(quartiles_of({}).median == 0);
}

TEST_CASE("tenths of points") {
    CHECK(tenth_of(0) == 0);
    CHECK(tenth_of(0.1 + 0.2) == 3);
    CHECK(tenth_of(0.3 - 1e-12) == 3);
    CHECK(tenth_of(0.29) == 2);
    CHECK(tenth_of(1) == 9);
    CHECK(share_of({.earned = 0, .judged = 0, .possible = 4}) == 0);
}

TEST_CASE("the summary of a class counts") {
    const SampleClass sample(100, 2);
    const auto all = summaries_of(sample.view());
    REQUIRE(all.size() == 1);
    const AssignmentSummary& one = all[0];
    // Of every ten: one is not graded, one is missing, one is suspicious, two are wrong.
    CHECK(one.graded == 80);
    CHECK(one.ungraded == 10);
    CHECK(one.missing == 10);
    CHECK(one.to_decide == 10);
    CHECK(one.tenths[9] == 50);
    CHECK(one.tenths[5] == 30);
    REQUIRE(one.tasks.size() == 2);
    const TaskSummary& task = one.tasks[0];
    CHECK(task.judged == 80);
    CHECK(task.failed() == 30);
    CHECK(task.failures.at(Verdict::wrong_answer) == 10);
    CHECK(task.failures.at(Verdict::data_race) == 10);
    REQUIRE(task.cases.size() == 3);
    CHECK(task.cases[0].failed() == 0);
    CHECK(task.cases[2].failed() == 30);
    CHECK(task.cases[2].visibility == Visibility::hidden);
    CHECK(task.cases[2].failures.at(Verdict::data_race) == 10);
    // A diagnosis whose numbers differ is one pattern; a race is named by its finding.
    REQUIRE(task.errors.size() == 3);
    for (const ErrorPattern& error : task.errors) CHECK(error.students.size() == 10);
    CHECK(one.tasks[1].failed() == 0);
    CHECK(task.speed.speedups.size() == 50);
    CHECK(task.speed.quartiles.least == 1);
    REQUIRE(task.speed.tiers.size() == 2);
    CHECK(task.speed.tiers[0].reached == 40);
    CHECK(task.speed.tiers[1].reached == 20);
    CHECK(one.slowest.size() == 5);
    CHECK(one.slowest[0]->report->seconds >= one.slowest[4]->report->seconds);
}

TEST_CASE("a verdict alone is an error only where nothing is diagnosed") {
    Report report = sample_of(3, 1);
    auto& cases = report.tasks[0].outcome.cases;
    REQUIRE(cases[2].verdict == Verdict::wrong_answer);
    cases[0].verdict = Verdict::wrong_answer;  // and no diagnosis
    const std::vector<Row> rows{row_of("ada", "scan", &report)};
    const auto errors = [&] { return summaries_of({.rows = rows})[0].tasks[0].errors; };
    REQUIRE(errors().size() == 1);
    CHECK(errors()[0].text == cases[2].pattern);
    cases[2].pattern.clear();
    REQUIRE(errors().size() == 1);
    CHECK(errors()[0].text == meaning(Verdict::wrong_answer));
    cases[1].verdict = Verdict::crash;
    CHECK(errors().size() == 2);
}

TEST_CASE("what a class has in common is told by causes, where they are known") {
    Report report = sample_of(3, 1);
    TaskOutcome& outcome = report.tasks[0].outcome;
    REQUIRE(outcome.cases[2].verdict == Verdict::wrong_answer);
    outcome.causes = {{.id = "tail_ignored", .cases = {outcome.cases[2].id}}};
    const std::vector<Row> rows{row_of("ada", "scan", &report)};
    const auto errors = summaries_of({.rows = rows})[0].tasks[0].errors;
    REQUIRE(errors.size() == 1);
    CHECK(errors[0].text == cause_kind("tail_ignored")->title);
    CHECK(errors[0].verdict == Verdict::wrong_answer);
}

TEST_CASE("the ungraded come before those to decide on, and both before all others") {
    const SampleClass sample(20, 1);
    const auto concerns = concerns_of(sample.view());
    REQUIRE(concerns.size() == 4);
    CHECK(concerns[0].what == "not graded");
    CHECK(concerns[0].why == "two submissions");
    CHECK(concerns[2].what == "for a person to decide");
    CHECK(concerns[2].why == "the process dies");
    ClassView view = sample.view();
    view.distrusted = {"ada (scan): its reports are not as this grader wrote them"};
    const std::string page = class_page(view);
    const auto at = [&](std::string_view part) {
        REQUIRE(holds(page, part));
        return page.find(part);
    };
    CHECK(at("two submissions") < at("the process dies"));
    CHECK(at("the process dies") < at("ada (scan): its reports are not"));
    CHECK(at("ada (scan): its reports are not") < at("<h3>Points</h3>"));
    CHECK(at("<h3>Points</h3>") < at("id=\"students\""));
}

TEST_CASE("an empty class has a page") {
    const std::string page = class_page({});
    CHECK(holds(page, "Nothing is ungraded"));
    CHECK(holds(page, "id=\"students\""));
    CHECK(page.ends_with("</body></html>\n"));
    const std::vector<Row> rows{row_of("ada", "scan")};
    CHECK(holds(class_page({.rows = rows}), "<td>not yet</td>"));
}

TEST_CASE("nothing that a student wrote becomes markup") {
    const std::string evil = "</script><img src=x onerror=alert(1)>\"'&\u202egnp.\x1b[31m\xff";
    Report report = sample_of(3, 1);
    report.submission_file = report.compile_output = report.assignment_title = evil;
    report.student = report.provenance.device = report.replay = evil;
    report.notes = {evil};
    TaskReport& task = report.tasks[0];
    task.title = task.name = evil;
    for (CaseOutcome& outcome : task.outcome.cases) {
        outcome.verdict = Verdict::suspicious;
        outcome.message = outcome.pattern = outcome.description = evil;
        outcome.findings = {{.kind = evil, .message = evil, .warning = true}};
        outcome.location = SourceLocation{evil, 3, 4};
    }
    task.verdict = Verdict::suspicious;
    std::vector<Row> rows{row_of(evil, evil, &report), row_of(evil, evil)};
    for (Row& row : rows) {
        row.entry.listed = Student{evil, evil, evil, evil, evil};
        row.mark = Mark{.points = 1, .why = evil};
        row.attempts = {{.number = 1, .problem = evil},
                        {.number = 2, .report = row.report, .problem = evil, .counts = true}};
    }
    rows[1].entry.problem = evil;
    const ClassView view{.rows = rows, .distrusted = {evil}};
    for (const std::string& page :
         {class_page(view), student_page(rows[0]), student_page(rows[1])}) {
        CHECK(holds(page, "&lt;/script&gt;&lt;img"));
        CHECK_FALSE(holds(page, "<img"));
        CHECK_FALSE(holds(page, "\"'&"));
        CHECK_FALSE(holds(page, "\u202e"));
        CHECK(holds(page, "\\u202e"));
        CHECK_FALSE(holds(page, "\x1b"));
        CHECK_FALSE(holds(page, "\xff"));
        CHECK(count_of(page, "<script") == count_of(page, "</script>"));
        CHECK(count_of(page, "<script") <= 1);
    }
}

TEST_CASE("names of students are paths in links") {
    const Row row = row_of("=bob, \"the # builder\"", "scan");
    CHECK(page_file(row) == "pages/scan/=bob, \"the # builder\".html");
    const std::string page = class_page({.rows = {row}});
    CHECK(holds(page, "href=\"pages/scan/%3Dbob%2C%20%22the%20%23%20builder%22.html\""));
    CHECK(holds(page, "<bdi>=bob, &quot;the # builder&quot;</bdi>"));
}

TEST_CASE("hidden cases show no data on a student's page") {
    Report report = sample_of(3, 1);
    CaseOutcome& hidden = report.tasks[0].outcome.cases[2];
    REQUIRE(hidden.visibility == Visibility::hidden);
    hidden.mismatches = {{.argument = "out", .expected = "secret1", .got = "secret2"}};
    hidden.seed = 12345678987654321;
    const std::string page = student_page(row_of("ada", "scan", &report));
    CHECK_FALSE(holds(page, "secret1"));
    CHECK_FALSE(holds(page, "12345678987654321"));
}

TEST_CASE("a student's page has what the report's page has") {
    const SampleClass sample(10, 2);
    const Row& row = sample.view().rows[5];
    REQUIRE(row.report != nullptr);
    const auto sections = report::report_sections(report::presentable(*row.report), {});
    CHECK(holds(student_page(row), sections.body));
    // With the tiers, if the policy is at hand.
    CHECK(count_of(student_page(row), "class=\"tier\"") == 0);
    CHECK(count_of(student_page(row, sample.view().policy), "class=\"tier\"") == 4);
}

TEST_CASE("a student's page has every attempt, and says which one counts") {
    Report first = sample_of(3, 1), second = sample_of(5, 1);
    Row row = row_of("ada", "scan");
    row.rule = Attempts::best;
    row.attempts = {{.number = 1, .handed_in_at = 1795989600, .report = &first},
                    {.number = 2, .report = &second, .mark = {.points = 10, .why = "1 day late"}},
                    {.number = 3, .problem = "no archive"}};
    row.attempts[1].counts = true;
    row.report = &second;
    row.entry.problem = "no archive";
    row.mark = Mark{.points = 10, .why = "attempt 2 of 3 counts"};
    const std::string page = student_page(row);
    CHECK(holds(page, "<strong>Mark: 10 of 20.</strong> attempt 2 of 3 counts.</p>"));
    CHECK(holds(page,
                "<a href=\"../../attempts/scan/ada/1.html\">1</a></th>"
                "<td>2026-11-29T22:00:00Z</td><td class=\"n\">0 of 20</td>"));
    CHECK(holds(page, "<a href=\"../../reports/scan/ada.html\">2</a></th><td>not known</td>"));
    CHECK(holds(page, "<td><strong>counts</strong></td><td>1 day late</td>"));
    CHECK(holds(page, "<th scope=\"row\">3</th>"));
    CHECK(holds(page, "<td>not graded: no archive</td>"));
    CHECK(holds(page, "Not graded: no archive"));
    CHECK(holds(page, "another has a higher mark, or the same and is newer"));
    CHECK(holds(class_page({.rows = {row}}),
                "<td class=\"n\" title=\"attempt 2 of 3 counts\">10</td>"
                "<td>2 of 3</td>"));
    const auto concerns = concerns_of({.rows = {row}});
    REQUIRE(concerns.size() == 1);
    CHECK(concerns[0].why == "no archive");
}

TEST_CASE("a page asks for nothing else") {
    const std::string page = class_page(SampleClass(10, 2).view());
    CHECK(holds(page, "content=\"default-src 'none';style-src 'sha256-"));
    for (const char* part : {"http:", "https:", "src=", "url(", "@import", "style=", "<link"})
        CHECK_FALSE(holds(page.substr(0, page.find("<main>")), part));
    CHECK_FALSE(holds(page, "http://"));
    CHECK_FALSE(holds(page, "https://"));
    CHECK_FALSE(holds(page, " style=\""));
}

TEST_CASE("a thousand students with five tasks fit into 5 MB, and the bytes are the same") {
    const SampleClass sample(1000, 5);
    const std::string page = class_page(sample.view());
    CHECK(page.size() < 5'000'000);
    CHECK(count_of(page, ">report</a>") == 800);
    CHECK(page == class_page(SampleClass(1000, 5).view()));
    // Also where each task is an assignment of its own.
    std::vector<Row> rows;
    for (const char* assignment : {"a", "b", "c", "d", "e"})
        for (Row row : sample.view().rows) {
            row.entry.assignment = assignment;
            rows.push_back(std::move(row));
        }
    CHECK(class_page({.rows = rows}).size() < 5'000'000);
}

TEST_CASE("a class on a terminal") {
    const SampleClass sample(100, 2);
    const std::string text = class_table(sample.view(), {.width = 100});
    CHECK(holds(text, "s0000 (scan): not graded: two submissions\n"));
    CHECK(holds(text, "80 graded, 10 not graded, 10 for a person to decide, 10 missing\n"));
    CHECK(holds(text, "   90 to 100 %    50  ########################################\n"));
    CHECK(holds(text, "inclusive_int: 30 of 80 not right, most in case 3 (30)"));
    CHECK(holds(text, "10 data_race: shared_race (s0004, s0014, s0024, s0034 and 6 more)"));
    CHECK(holds(text, "; 40 reach 2; 20 reach 8"));
    CHECK_FALSE(holds(text, "more error"));
    // Of six errors the three commonest are told, and how many there are beside them.
    std::vector<Report> reports;
    for (const char* pattern : {"a", "a", "b", "b", "c", "c", "d", "e", "f"}) {
        reports.push_back(sample_of(3, 1));
        reports.back().tasks[0].outcome.cases.back().pattern = pattern;
    }
    std::vector<Row> various;
    for (const Report& report : reports)
        various.push_back(row_of("s" + std::to_string(various.size()), "scan", &report));
    const std::string told = class_table({.rows = various}, {.width = 100});
    CHECK(holds(told, "2 wrong_answer: c (s4, s5)\n    and 3 more errors, of 3 students"));
    CHECK_FALSE(holds(told, "wrong_answer: d"));
    CHECK(class_table({}, {}).empty());
    const std::vector<Row> rows{row_of("\x1b[31m", "scan")};
    CHECK_FALSE(holds(class_table({.rows = rows}, {}), "\x1b"));
}

// Not a test: writes pages for tests/page, which opens them in a browser.
TEST_CASE("write a class of pages", "[.write]") {
    write_sample_class(CUGRADE_BUILD_DIR "/tests/page");
}

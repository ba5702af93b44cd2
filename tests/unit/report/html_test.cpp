// The page of a report: its structure, what it may not show, and that nothing becomes markup.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include "catch.hpp"
#include "report/format.hpp"
#include "report/hints.hpp"
#include "report/html_parts.hpp"
#include "report/html_report.hpp"
#include "sample.hpp"

using namespace cugrade;
using namespace cugrade::report;

namespace {

std::string page(const Report& report, const Style& style = {}) {
    return find("html")->write(report, style);
}

/// Without the style, in which some of the words occur, too.
std::string body(const Report& report, const Style& style = {}) {
    const std::string all = page(report, style);
    return all.substr(all.find("<body>"));
}

bool holds(std::string_view text, std::string_view part) {
    return text.find(part) != std::string_view::npos;
}

std::size_t at(const std::string& text, const std::string& part) {
    INFO(part);
    REQUIRE(holds(text, part));
    return text.find(part);
}

/// What follows each `before`, up to a quotation mark.
std::vector<std::string> all_after(const std::string& text, const std::string& before) {
    std::vector<std::string> out;
    for (auto from = text.find(before); from != std::string::npos; from = text.find(before, from)) {
        from += before.size();
        out.push_back(text.substr(from, text.find('"', from) - from));
    }
    return out;
}

/// Lines 11 to 15 are those of the excerpt of sample_causes().
SourceFile sample_source() {
    std::string text;
    for (int line = 1; line <= 60; ++line)
        text += line == 12   ? "    tile[threadIdx.x] = own;\r\n"
                : line == 13 ? "\n"
                : line == 16 ? "\t\tindented();\n"
                : line == 15 ? "        tile[threadIdx.x] += tile[threadIdx.x + half];\n"
                             : "// line " + std::to_string(line) + "\n";
    return {"student.cu", text};
}

AssignmentPolicy sample_policy() {
    AssignmentPolicy out;
    out.tasks["sum"].tiers = {{2, 0.1}, {4, 0.25}, {16, 0.5}, {32, 1}};
    return out;
}

}  // namespace

TEST_CASE("a report's page begins with the score and tells why before the cases") {
    const std::string text = body(sample_causes());
    const std::size_t score = at(text, "<p class=\"big\">14 <small>of 70 points</small></p>");
    const std::size_t verdict = at(text, "Verdict: time_limit.");
    const std::size_t card = at(text, "<article class=\"card\" id=\"task1-cause1\"");
    CHECK(score < verdict);
    CHECK(verdict < card);
    CHECK(card < at(text, "Cases: 1/4 right"));
    const std::string first = text.substr(card, text.find("</article>", card) - card);
    std::size_t before = 0;
    for (const std::string& part :
         {std::string("A barrier is missing <span class=\"label good\">proven</span></h3>"),
          std::string("Threads read <code>tile</code> in line 15 before others have written it"),
          std::string("student.cu:15:9"), std::string("student.cu:12:5"),
          std::string("12 | </span><span class=\"code\"><mark>tile</mark>[threadIdx.x] = own;"),
          std::string("^^^^"), std::string("With n=1025, thread 0 of block 0"),
          std::string("<strong>What to do:</strong> Put <code>__syncthreads();</code>"),
          std::string("Proven: with a barrier after line 12 all 4 cases are right."),
          std::string("cugrade explain missing_barrier")}) {
        const std::size_t here = at(first, part);
        CHECK(here > before);
        before = here;
    }
    CHECK(holds(text, "<summary>Or it may be this</summary>"));
    CHECK(holds(text, "<h3>What else is wrong</h3>"));
}

TEST_CASE("tasks that fail come first, and those that are not written come last") {
    Report report = sample_report();
    report.tasks[2].verdict = Verdict::function_missing;
    const std::string text = body(report);
    CHECK(at(text, "<h2 id=\"task2\">max") < at(text, "<h2 id=\"task1\">sum"));
    CHECK(at(text, "<h2 id=\"task1\">sum") < at(text, "<h2 id=\"task3\">cubes"));
}

TEST_CASE("what several tasks fail by is told once") {
    Report report = sample_causes();
    report.tasks.push_back(report.tasks[0]);
    report.tasks[2].name = "cubes";
    const std::string text = body(report);
    CHECK(holds(text, "It fails as <a href=\"#task1-cause1\">sum</a> does: Threads read"));
    CHECK_FALSE(holds(text, "task3-cause1"));
}

TEST_CASE("ids are there once, and links lead to them") {
    for (const Report& report :
         {sample_report(), sample_causes(), sample_compile_error(), sample_gpu()}) {
        const AssignmentPolicy policy = sample_policy();
        const std::string text = page(report, {.sources = {sample_source()}, .policy = &policy});
        const auto ids = all_after(text, " id=\"");
        const std::set<std::string> known(ids.begin(), ids.end());
        CHECK(ids.size() == known.size());
        const auto links = all_after(text, "href=\"");
        CHECK(links.size() > 4);
        for (const std::string& link : links) {
            INFO(link);
            CHECK(known.contains(link.substr(1)));
        }
        for (const std::string& named : all_after(text, "aria-labelledby=\""))
            CHECK(known.contains(named));
    }
}

TEST_CASE("the page asks for nothing and needs no script") {
    const std::string text = page(sample_causes(), {.sources = {sample_source()}});
    CHECK(holds(text, "content=\"default-src 'none';style-src 'sha256-"));
    for (const char* part : {"<script", "http:", "https:", "src=\"", "url(", "@import", " style=\"",
                             "<link", "onclick"})
        CHECK_FALSE(holds(text, part));
}

TEST_CASE("the source has what is wrong in the margin of its lines") {
    const Style style{.sources = {sample_source()}};
    const std::string text = body(sample_causes(), style);
    CHECK(holds(text, "<summary><code>student.cu</code>: 60 lines, 3 with notes</summary>"));
    CHECK(holds(
        text, "<li id=\"file1-15\" class=\"noted\"><code>        <mark>tile</mark>[threadIdx.x]"));
    CHECK(holds(text, "sum: <a href=\"#task1-cause1\">A barrier is missing</a></p>"));
    CHECK(holds(text, "A barrier is missing</a>, the other place</p>"));
    CHECK(holds(text, "<a href=\"#file1-15\"><code>student.cu:15:9</code></a>"));
    CHECK(holds(text, "<li id=\"file1-13\"><code>&#10;</code></li>"));
    CHECK(holds(text, "<code>\t\tindented();"));  // a tab stays one
    CHECK_FALSE(holds(text, "\r"));
    // Without the files the excerpts are there, and no links to lines.
    CHECK_FALSE(holds(body(sample_causes()), "file1-"));
    CHECK_FALSE(holds(body(sample_causes()), "id=\"source\""));
    // A limit that is not kept is said at its line.
    CHECK(
        holds(body(sample_report(), style), "atomics on global memory per element, at most 0.05"));
}

TEST_CASE("a case that a cause explains leads to it, and has its message within") {
    const std::string text = body(sample_causes());
    const std::size_t row = at(text, "<td>n=1025 in=uniform</td><td><a href=\"#task1-cause1\">");
    const std::size_t inner = at(text, "<summary>case 2 in detail</summary>");
    CHECK(row < inner);
    CHECK(inner < text.find("no barrier lies between", row));
    CHECK(holds(text, "<td>the kernel ran for 20 s and was making progress</td>"));
}

TEST_CASE("a source that is too long is cut, and no link leads to what is not there") {
    Report report = sample_causes();
    report.tasks[0].outcome.causes[0].location.line = static_cast<int>(max_source_lines) + 1;
    std::string text;
    for (std::size_t n = 0; n < max_source_lines + 7; ++n) text += "x\n";
    const std::string shown = body(report, {.sources = {{"student.cu", text}}});
    CHECK(holds(shown, "<p>And 7 more lines.</p>"));
    CHECK_FALSE(holds(shown, "file1-5001"));
}

TEST_CASE("places in files that are not the submission's are not looked up") {
    Report report = sample_causes();
    report.tasks[0].outcome.causes[0].location.file = "../../etc/passwd";
    const std::string shown = body(report, {.sources = {{"student.cu", "a\n"}, {"b.cuh", "b\n"}}});
    CHECK(holds(shown, "<p class=\"quiet\"><code>../../etc/passwd:15:9</code>"));
}

TEST_CASE("tiers are a figure with the same in words") {
    const AssignmentPolicy policy = sample_policy();
    const std::string text = body(sample_report(), {.policy = &policy});
    CHECK(holds(text, "<svg role=\"img\" aria-label=\"The speedup among the tiers\""));
    for (const char* tier : {">2×</text>", ">4×</text>", ">16×</text>", ">32×</text>"})
        CHECK(holds(text, tier));
    CHECK(holds(text,
                "5× the baseline, modelled. 2× gives 10 % of the points for speed and is "
                "reached. 4× gives 25 % of the points for speed and is reached. 16× gives 50 "
                "% of the points for speed."));
    const std::string without = body(sample_report());
    CHECK(holds(without, "The next tier is at 16×."));
    CHECK_FALSE(holds(without, ">4×</text>"));
}

TEST_CASE("a speedup that is no number makes no figure") {
    Report report = sample_report();
    for (const double odd : {0.0, -1.0, std::numeric_limits<double>::infinity(),
                             std::numeric_limits<double>::quiet_NaN()}) {
        report.tasks[0].outcome.timing->speedup = odd;
        CHECK_FALSE(holds(body(report), "<figure>"));
    }
}

TEST_CASE("the policy of a report is the one that it was scored by") {
    GradingPolicy policy;
    policy.sha256 = std::string(64, 'c');
    policy.assignments["reduction"] = sample_policy();
    const Report report = sample_report();
    CHECK(policy_of(report, &policy) == &policy.assignments["reduction"]);
    CHECK(policy_of(report, nullptr) == nullptr);
    policy.sha256[0] = 'd';
    CHECK(policy_of(report, &policy) == nullptr);
}

TEST_CASE("the page shows no data of hidden cases") {
    Report report = sample_report();
    CHECK_FALSE(holds(body(report), "LEAKED"));
    report = sample_causes();
    Cause& cause = report.tasks[0].outcome.causes[0];
    CaseOutcome& hidden = report.tasks[0].outcome.cases[3];
    REQUIRE(hidden.visibility == Visibility::hidden);
    hidden.seed = 12345678987654321;
    hidden.mismatches = {{"out", 0, {}, "secret1", "secret2"}};
    CHECK(holds(body(report), "With n=1025, thread 0"));
    CHECK_FALSE(holds(body(report), "secret"));
    CHECK_FALSE(holds(body(report), "12345678987654321"));
    // An instance that is of hidden cases only is not told, also not in the margin.
    cause.cases = {4};
    CHECK_FALSE(holds(body(report, {.sources = {sample_source()}}), "With n=1025, thread 0"));
}

TEST_CASE("the page tells as much as the policy's hints") {
    const Style style{.sources = {sample_source()}};
    const std::string facts = body(for_student(sample_causes(), Hints::facts), style);
    for (const char* part : {"A barrier is missing", "__syncthreads", "proven", "task1-cause1"})
        CHECK_FALSE(holds(facts, part));
    CHECK(holds(facts, "no barrier lies between"));
    CHECK(holds(facts, "class=\"noted\""));
    const std::string cause = body(for_student(sample_causes(), Hints::cause), style);
    CHECK(holds(cause, "A barrier is missing</h3>"));
    CHECK_FALSE(holds(cause, "class=\"label good\">proven"));
    const std::string verdict = body(for_student(sample_causes(), Hints::verdict), style);
    for (const char* part : {"no barrier lies between", "498.25", "n=1025", "class=\"noted\""})
        CHECK_FALSE(holds(verdict, part));
    CHECK(holds(verdict, "data_race"));
}

TEST_CASE("nothing of a submission becomes markup on a report's page") {
    const std::string evil = "</script><img src=x onerror=alert(1)>\"'&`\u202egnp.\x1b[31m\xff";
    Report report = sample_causes();
    report.submission_file = report.compile_output = report.assignment_title = evil;
    report.student = report.provenance.device = report.replay = report.provenance.toolkit = evil;
    report.notes = {evil, evil};
    report.phases = {{evil, 1}};
    for (TaskReport& task : report.tasks) {
        task.name = task.title = evil;
        for (CaseOutcome& c : task.outcome.cases) {
            c.message = c.pattern = c.description = evil;
            c.findings.push_back({evil, evil, true, SourceLocation{evil, 3, 4}, {}});
            c.mismatches = {{evil, 0, {}, evil, evil}};
        }
        for (Cause& cause : task.outcome.causes) {
            cause.sentence = cause.instance = cause.advice = cause.evidence = cause.id = evil;
            cause.location = {evil, 1, 3};
            cause.excerpt = {{evil, 1, evil}, {evil, 2, "caf\xc3\xa9"}};
        }
    }
    const std::string text = page(report, {.sources = {{evil, evil + "\n" + evil}}});
    CHECK(holds(text, "&lt;/script&gt;&lt;img"));
    for (const char* part : {"<img", "<script", "</script", "\"'&", "\u202e", "\x1b", "\xff"})
        CHECK_FALSE(holds(text, part));
    CHECK(holds(text, "\\u202e"));
}

TEST_CASE("a mark in the middle of a character takes all of it") {
    CHECK(marked_line("caf\xc3\xa9 = 1;", {5}) == "caf<mark>\xc3\xa9</mark> = 1;");
    CHECK(marked_line("a < b", {1, 5, 1}) == "<mark>a</mark> &lt; <mark>b</mark>");
    CHECK(marked_line("  x", {0}) == "  <mark>x</mark>");
    CHECK(marked_line("", {0}).empty());
}

TEST_CASE("a sentence has code between backticks, and begins with a capital") {
    CHECK(prose("put `__syncthreads()` < here`") == "put <code>__syncthreads()</code> &lt; here`");
    CHECK(with_capital("the end") == "The end");
    CHECK(with_capital("student.cu:7: error") == "student.cu:7: error");
    CHECK(with_capital("").empty());
}

// Not a test: writes pages for tests/page, which opens them in a browser.
TEST_CASE("write pages of reports", "[.write]") {
    const auto folder = std::filesystem::path(CUGRADE_BUILD_DIR) / "tests/page/reports";
    std::filesystem::create_directories(folder);
    const AssignmentPolicy policy = sample_policy();
    const Style style{.sources = {sample_source()}, .policy = &policy};
    const std::vector<std::pair<std::string, Report>> all{{"report", sample_report()},
                                                          {"causes", sample_causes()},
                                                          {"compile_error", sample_compile_error()},
                                                          {"gpu", sample_gpu()}};
    for (const auto& [name, report] : all)
        std::ofstream(folder / (name + ".html")) << page(report, style);
}

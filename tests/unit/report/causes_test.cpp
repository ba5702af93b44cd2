// How formats tell the causes of a failing task.
#include <algorithm>
#include <sstream>

#include "catch.hpp"
#include "report/format.hpp"
#include "report/formats.hpp"
#include "sample.hpp"

using namespace cugrade;
using namespace cugrade::report;
using Tree = nlohmann::ordered_json;

namespace {

std::string json(const Report& report) { return find("json")->write(report, {}); }

std::vector<std::string> lines(const std::string& text) {
    std::vector<std::string> out;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) out.push_back(line);
    return out;
}

std::string first_screen(const Report& report) {
    return find("table")->write(report, {.width = 90, .details = false});
}

bool holds(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("causes are read back as they were written, from JSON and from YAML") {
    const Report sample = sample_causes();
    for (const auto* format : {"json", "yaml"}) {
        const auto read = read_report(find(format)->write(sample, {}));
        if (!read) FAIL(read.error().text());
        for (std::size_t t = 0; t < sample.tasks.size(); ++t)
            CHECK(read->tasks[t].outcome.causes == sample.tasks[t].outcome.causes);
    }
    auto text = json(sample);
    const std::string proven = "\"proof\": \"proven\"";
    text.replace(text.find(proven), proven.size(), "\"proof\": \"sure\"");
    CHECK(read_report(text).error().key == "tasks[0].causes[0].proof");
}

TEST_CASE("a cause tells no instance of hidden cases") {
    Report sample = sample_causes();
    auto& cause = sample.tasks[0].outcome.causes[0];
    for (const auto& format : {"json", "yaml"})
        CHECK(find(format)->write(sample, {}).find(cause.instance) != std::string::npos);
    cause.cases = {4};
    for (const auto& format : formats())
        CHECK(format.write(sample, {}).find(cause.instance) == std::string::npos);
}

TEST_CASE("a task whose cause is known is told by it, in the first twenty lines") {
    Report sample = sample_causes();
    sample.tasks.resize(1);
    const Cause& cause = sample.tasks[0].outcome.causes[0];
    const auto shown = lines(first_screen(sample));
    std::string top;
    for (std::size_t i = 0; i < 20; ++i) top += shown[i] + "\n";
    for (const std::string& part :
         {cause.sentence, cause.instance,
          std::string("  12 | tile[threadIdx.x] = own;\n"
                      "     | ^^^^\n"),
          std::string("Put `__syncthreads();`"), "Proven: " + cause.evidence + ".",
          std::string("student.cu:15:9 and student.cu:12:5"), std::string("`--details`")})
        CHECK(holds(top, part));
}

TEST_CASE("what a cause explains is told with details only") {
    Report sample = sample_causes();
    sample.tasks.resize(1);
    auto& cases = sample.tasks[0].outcome.cases;
    const std::string message = cases[1].message.substr(0, 30);
    CHECK_FALSE(holds(first_screen(sample), message));
    CHECK_FALSE(holds(first_screen(sample), "498.25"));
    const auto all = find("table")->write(sample, {});
    CHECK(holds(all, message));
    CHECK(holds(all, "498.25"));
    CHECK(all.find(sample.tasks[0].outcome.causes[0].sentence.substr(0, 30)) < all.find(message));

    // Another finding in an explained case, a warning, and a failure with another cause.
    const SourceLocation other{"student.cu", 40, 3};
    cases[1].findings.push_back({"uninitialised_read", "nobody has written it", false, other, {}});
    cases[2].findings.push_back({"hangs_before_volta", "lanes wait for lanes", true, other, {}});
    CHECK(holds(first_screen(sample), "also: nobody has written it (student.cu:40:3)"));
    CHECK(holds(first_screen(sample), "lanes wait for lanes"));
    auto& explains = sample.tasks[0].outcome.causes[0].explains;
    explains.insert(explains.end(), {"uninitialised_read", "hangs_before_volta"});
    CHECK_FALSE(holds(first_screen(sample), "nobody has written it"));
    CHECK_FALSE(holds(first_screen(sample), "lanes wait for lanes"));
    CHECK_FALSE(holds(first_screen(sample), "This explains"));
    sample.tasks[0].outcome.causes[0].cases = {2, 3};
    CHECK(holds(first_screen(sample), "This explains cases 2, 3."));
    CHECK(holds(first_screen(sample), "case 4 (hidden)"));
}

TEST_CASE("a second cause is told if it explains further cases, and as an alternative otherwise") {
    Report sample = sample_causes();
    const std::string second = sample.tasks[1].outcome.causes[1].sentence;
    CHECK_FALSE(holds(first_screen(sample), second));
    CHECK(holds(find("table")->write(sample, {}), "max: or: " + second));
    sample.tasks[1].outcome.causes[1].cases = {3};
    CHECK(holds(first_screen(sample), "max: " + second));
    CHECK_FALSE(holds(first_screen(sample), "the kernel ran for 20 s"));
}

TEST_CASE("a cause that tasks have in common is told once") {
    Report sample = sample_causes();
    sample.tasks[1] = sample.tasks[0];
    sample.tasks[1].name = "max";
    sample.tasks[1].outcome.causes[0].cases = {2};
    const auto shown = first_screen(sample);
    CHECK(holds(shown, "sum, max: Threads read"));
    CHECK(shown.find("Threads read") == shown.rfind("Threads read"));
}

TEST_CASE("one place is named once, and a function that is not written comes last") {
    Report sample = sample_causes();
    auto& cause = sample.tasks[0].outcome.causes[0];
    cause.second = cause.location;
    CHECK(holds(first_screen(sample), "\n  student.cu:15:9\n"));
    CHECK(first_screen(sample).find("sum: ") < first_screen(sample).find("max: "));
    sample.tasks[0].verdict = Verdict::function_missing;
    CHECK(first_screen(sample).find("sum: ") > first_screen(sample).find("max: "));
}

TEST_CASE("other formats mark a cause at the line to edit, and not what it explains") {
    Report sample = sample_causes();
    auto& cases = sample.tasks[0].outcome.cases;
    const std::string message = cases[1].message, github = find("github")->write(sample, {});
    CHECK(holds(github,
                "::error file=student.cu,line=15,col=9,title=missing_barrier::sum: "
                "Threads read `tile` in line 15 before others have written it in line 12. "
                "Put `__syncthreads();` between"));
    CHECK(holds(github, "(3 cases)"));
    CHECK(holds(github, "Start at `-INFINITY`. (likely, not proven)\n"));
    CHECK(holds(github, "title=time_limit::max: the kernel ran for 20 s"));
    for (const auto* name : {"github", "gitlab", "sarif", "markdown", "junit"}) {
        const auto text = find(name)->write(sample, {});
        INFO(name);
        CHECK_FALSE(holds(text, message.substr(0, 20)));
        CHECK_FALSE(holds(text, "The last block has fewer"));  // explains nothing more
    }
    const auto junit = find("junit")->write(sample, {});
    CHECK(holds(junit, "type=\"data_race\" message=\"Threads read `tile` in line 15"));
    CHECK(holds(junit, "out[0]: expected 511.5, got 498.25"));
    const auto sarif = Tree::parse(find("sarif")->write(sample, {}))["runs"][0];
    CHECK(sarif["tool"]["driver"]["rules"][0]["shortDescription"]["text"] ==
          "a barrier is missing");
    CHECK(sarif["results"][0]["relatedLocations"][0]["physicalLocation"]["region"]["startLine"] ==
          12);

    // A finding that it does not explain is marked beside it.
    cases[1].findings.push_back(
        {"uninitialised_read", "nobody has written it", false, SourceLocation{"student.cu", 9, 1}});
    for (const auto* name : {"github", "gitlab", "sarif", "markdown", "junit"})
        CHECK(holds(find(name)->write(sample, {}), "nobody has written it"));
}

TEST_CASE("carets are below what they mean, whatever the line holds") {
    Report sample = sample_causes();
    sample.tasks.resize(1);
    Cause& cause = sample.tasks[0].outcome.causes[0];
    const auto row_of = [&](const std::string& text, int column) {
        cause.second.reset();
        cause.location.column = column;
        cause.excerpt = {{"student.cu", 15, text}};
        const auto shown = lines(first_screen(sample));
        const auto at = std::ranges::find_if(
            shown, [](const std::string& line) { return line.starts_with("  15 |"); });
        REQUIRE(at != shown.end());
        return *(at + 1);
    };
    CHECK(row_of("ab cd(e);", 4) == "     |    ^^");
    CHECK(row_of("ab cd(e);", 6) == "     |      ^");
    CHECK(row_of("\tab cd", 5) == "     |    ^^");
    CHECK(row_of("  ab cd;", 0) == "     | ^^^^^^");
    CHECK(row_of("é漢 cd", 7) == "     |     ^^");
    CHECK(row_of("ab", 9) == "     | ^^");
    CHECK(row_of("", 1) == "     |");
}

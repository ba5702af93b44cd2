#include "report/format.hpp"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <set>
#include <sstream>

#include "catch.hpp"
#include "core/printable.hpp"
#include "report/formats.hpp"
#include "report/not_judged.hpp"
#include "sample.hpp"

using namespace cugrade;
using namespace cugrade::report;
using Tree = nlohmann::ordered_json;

namespace {

std::vector<Report> samples() {
    return {sample_report(), sample_compile_error(), sample_gpu(), sample_causes()};
}

std::string json(const Report& report) { return find("json")->write(report, {}); }

/// Columns of a line; every character of these tests takes one, but for those that the caller
/// knows to be wide.
std::size_t code_points(const std::string& line) {
    std::size_t out = 0;
    for (const char c : line) out += (static_cast<unsigned char>(c) & 0xC0U) != 0x80 ? 1 : 0;
    return out;
}

std::vector<std::string> lines(const std::string& text) {
    std::vector<std::string> out;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) out.push_back(line);
    return out;
}

bool is_utf8(const std::string& text) {
    for (std::size_t at = 0; at < text.size();)
        if (!next_code_point(text, at)) return false;
    return true;
}

/// Every string of the report that a submission can choose.
void set_texts(Report& r, const std::string& text) {
    r.submission_file = r.compile_output = r.student = text;
    r.notes = {text};
    for (auto& task : r.tasks) {
        for (auto& cause : task.outcome.causes) {
            cause.location.file = cause.sentence = cause.instance = cause.advice = text;
            cause.evidence = text;
            for (auto& shown : cause.excerpt) shown.text = text;
        }
        for (auto& c : task.outcome.cases) {
            c.message = c.pattern = c.description = text;
            c.location = SourceLocation{text, 1, 1};
            for (auto& m : c.mismatches) m.expected = m.got = text;
        }
    }
}

/// Whether reports in this format have any of the texts of set_texts: one with points only has not.
bool shows_texts(const Format& format, Report sample) {
    set_texts(sample, "harmless");
    return format.write(sample, {}).find("harmless") != std::string::npos;
}

/// The YAML node holds what the JSON value holds, of the same type.
void check_same(const YAML::Node& node, const Tree& tree) {
    if (tree.is_object()) {
        REQUIRE(node.IsMap());
        REQUIRE(node.size() == tree.size());
        auto it = node.begin();
        for (const auto& [key, value] : tree.items()) {
            INFO(key);
            CHECK(it->first.Scalar() == key);
            check_same(it->second, value);
            ++it;
        }
    } else if (tree.is_array()) {
        REQUIRE(node.IsSequence());
        REQUIRE(node.size() == tree.size());
        for (std::size_t i = 0; i < tree.size(); ++i) check_same(node[i], tree[i]);
    } else if (tree.is_null()) {
        CHECK(node.IsNull());
    } else {
        REQUIRE(node.IsScalar());
        double number = 0;
        bool boolean = false;
        const bool quoted = node.Tag() == "!";
        const bool is_number = !quoted && YAML::convert<double>::decode(node, number);
        INFO(node.Scalar());
        CHECK(is_number == tree.is_number());
        if (tree.is_number()) {
            CHECK(number == tree.get<double>());
        } else {
            CHECK(node.Scalar() == tree.get<std::string>());
            CHECK((quoted || !YAML::convert<bool>::decode(node, boolean)));
        }
    }
}

}  // namespace

TEST_CASE("formats are found by name, and an unknown one names those there are") {
    std::string names;
    for (const auto& format : formats()) {
        CHECK(find(format.name)->extension == format.extension);
        CHECK_FALSE(format.summary.empty());
        names += (names.empty() ? "" : ", ") + std::string(format.name);
    }
    const auto none = find("xml");
    REQUIRE_FALSE(none);
    CHECK(none.error().kind == ErrorKind::usage);
    CHECK(none.error().remedy == "use one of " + names);
}

TEST_CASE("points have two decimals at most") {
    CHECK(points_text(0) == "0");
    CHECK(points_text(-0.001) == "0");
    CHECK(points_text(70) == "70");
    CHECK(points_text(100) == "100");
    CHECK(points_text(12.5) == "12.5");
    CHECK(points_text(33.333333) == "33.33");
    CHECK(points_text(69.999999) == "70");
}

TEST_CASE("the score's line says what was judged and why the rest was not") {
    Report r;
    TaskReport a;
    a.correctness = {70, 70, 70};
    a.performance = {0, 0, 30};
    a.outcome.untimed.why = NotJudged::Why::needs_gpu;
    r.tasks = {a};
    r.score = {70, 70, 100};
    CHECK(score_line(r) == "Score: 70 of 70 judged; 30 need a GPU");
    r.tasks[0].performance.possible = 1;
    CHECK(score_line(r) == "Score: 70 of 70 judged; 1 needs a GPU");
    r.tasks[0].performance = {12.5, 30, 30};
    r.score = {82.5, 100, 100};
    CHECK(score_line(r) == "Score: 82.5 of 100 judged");
    r.tasks[0].performance = {0, 0, 30};
    r.tasks[0].outcome.untimed = {NotJudged::Why::timing_off};
    r.score = {70, 70, 100};
    CHECK(score_line(r) == "Score: 70 of 70 judged; 30 not judged (timing was switched off)");
    // Two tasks, one of which was not judged at all.
    TaskReport b = a;
    b.correctness = {0, 0, 20};
    b.outcome.cases.resize(1);
    b.outcome.cases[0].not_judged.why = NotJudged::Why::needs_gpu;
    r.tasks = {a, b};
    r.score = {70, 70, 150};
    CHECK(score_line(r) == "Score: 70 of 70 judged; 80 need a GPU");
    b.verdict = Verdict::harness_error;
    r.tasks = {a, b};
    CHECK(score_line(r) == "Score: 70 of 70 judged; 30 need a GPU; 50 not judged (cugrade failed)");
}

TEST_CASE("what was not judged is told in one sentence, which tells the reason again") {
    using Why = NotJudged::Why;
    for (const NotJudged& why :
         {NotJudged{}, NotJudged{Why::needs_gpu}, NotJudged{Why::no_timed_case},
          NotJudged{Why::timing_off}, NotJudged{Why::not_built_for_model},
          NotJudged{Why::too_little_memory}, NotJudged{Why::disturbed, "6 of 11 rounds"},
          NotJudged{Why::other, "an earlier case hung"}}) {
        const auto again = not_judged_from(text(why));
        CHECK(again.why == why.why);
        CHECK(again.detail == why.detail);
        CHECK(text(why).empty() == (why.why == Why::none));
    }
}

TEST_CASE("a report read back from JSON is the report that was written") {
    for (const auto& sample : samples()) {
        const auto text = json(sample);
        const auto read = read_report(text);
        if (!read) FAIL(read.error().text());
        for (const auto& format : formats())
            CHECK(format.write(*read, {}) == format.write(sample, {}));
        CHECK(read->tasks.front().outcome.name == sample.tasks.front().outcome.name);
    }
    CHECK(read_report(json(sample_report()))->tasks[0].outcome.cases[0].seed ==
          sample_report().tasks[0].outcome.cases[0].seed);
    CHECK(std::isnan(read_report(json(sample_gpu()))->tasks[1].outcome.timing->high));
}

TEST_CASE("JSON that is not a report is an error that names the key") {
    const auto good = json(sample_gpu());
    struct Row {
        std::string from, to, key;
    };
    const std::vector<Row> rows{
        {"\"schema_version\": 1", "\"schema_version\": 2", "schema_version"},
        {"\"schema_version\": 1,", "", "schema_version"},
        {"\"earned\": 68", "\"earned\": \"68\"", "score.earned"},
        {"\"backend\": \"gpu\"", "\"backend\": []", "backend"},
        {"\"visibility\": \"public\"", "\"visibility\": \"open\"", "tasks[0].cases[0].visibility"},
        {"\"verdict\": \"nondeterministic\"", "\"verdict\": \"fine\"", "verdict"},
        {"\"basis\": \"measured\"", "\"basis\": \"guessed\"", "tasks[0].performance.basis"},
        {"\"id\": 1", "\"id\": 1.5", "tasks[0].cases[0].id"},
        {"\"id\": 1", "\"id\": 4294967297", "tasks[0].cases[0].id"},
        {"\"seed\": \"0x", "\"seed\": \"0y", "tasks[0].cases[0].seed"},
        {"\"seconds\": 0.0125", "\"seconds\": {}", "tasks[0].cases[0].seconds"},
        {"\"phases\": [", "\"phases\": 3, \"x\": [", "phases"},
    };
    for (const auto& row : rows) {
        auto text = good;
        const auto at = text.find(row.from);
        INFO(row.from);
        REQUIRE(at != std::string::npos);
        const auto read = read_report(text.replace(at, row.from.size(), row.to));
        REQUIRE_FALSE(read);
        CHECK(read.error().key == row.key);
        CHECK_FALSE(read.error().remedy.empty());
    }
    // As a kill in the middle of writing would leave it.
    for (std::size_t size = 0; size < good.size() - 1; size += 97)
        CHECK_FALSE(read_report(std::string_view(good).substr(0, size)));
    CHECK_FALSE(read_report("[]"));
    CHECK_FALSE(read_report("\"\xff\""));
}

TEST_CASE("YAML and JSON hold the same, type by type") {
    auto all = samples();
    for (const auto* text :
         {"yes",      "No",         "123",    "0x1F",     "1e5",        "1.5",
          ".inf",     "null",       "~",      "",         "a: b",       "a #b",
          " x",       "x ",         "- x",    "*x",       "&x",         "!x",
          "%x",       "@x",         "`x",     "'x",       "\"x\"",      "\\n",
          "{}",       "[x",         "x, y",   "|",        ">",          "é",
          "12:30:45", "2026-01-01", "=",      "<<",       "two\nlines", "two\nlines\n\n",
          " lead\nx", "\ttab\nx",   "# x\ny", "x\n\n\ny", "---",        "...\nx"}) {
        all.push_back(sample_report());
        set_texts(all.back(), text);
    }
    for (const auto& sample : all) {
        INFO(sample.compile_output);
        check_same(YAML::Load(find("yaml")->write(sample, {})), Tree::parse(json(sample)));
    }
}

TEST_CASE("what a submission says to lack is shown, and does nothing to a terminal") {
    Report report = sample_report();
    TaskReport& task = report.tasks.front();
    task.verdict = Verdict::skipped;
    for (CaseOutcome& one : task.outcome.cases) {
        one.verdict = Verdict::skipped;
        one.not_judged = {NotJudged::Why::other, "the emulated GPU has no \x1b[2Jfoo"};
    }
    task.correctness.judged = 0;
    const auto table = find("table")->write(report, {});
    INFO(table);
    CHECK(table.find("foo") != table.npos);
    CHECK(table.find('\x1b') == table.npos);
}

TEST_CASE("no line of the table is wider than the terminal") {
    for (const std::string& text :
         {std::string("plain words of a message that has to be broken into several lines"),
          std::string(300, 'x'), std::string("a\tb \n c"),
          std::string("é") + std::string(90, 'y')}) {
        for (auto sample : samples()) {
            for (int pass = 0; pass < 2; ++pass) {
                for (int width = 40; width <= 130; width += 3) {
                    const auto table =
                        find("table")->write(sample, {.width = width, .details = width % 2 == 0});
                    INFO(table);
                    CHECK(std::ranges::none_of(lines(table), [&](const std::string& line) {
                        return code_points(line) > static_cast<std::size_t>(width) ||
                               line.ends_with(' ');
                    }));
                }
                set_texts(sample, text);
                for (auto& task : sample.tasks) task.name += std::string(60, 'n');
            }
        }
    }
    // Characters of two columns each: at most half as many fit.
    auto wide = sample_report();
    std::string text;
    for (int i = 0; i < 200; ++i) text += "漢";
    wide.notes = {text};
    std::size_t most = 0;
    for (const auto& line : lines(find("table")->write(wide, {})))
        if (line.find("漢") != std::string::npos)
            most = std::max(most, code_points(line.substr(line.find("漢"))));
    CHECK(most == 39);  // 80 columns less an indentation of 2
}

TEST_CASE("colour changes nothing but colour, and ASCII is ASCII") {
    for (const auto& sample : samples()) {
        const auto plain = find("table")->write(sample, {});
        auto coloured = find("table")->write(sample, {.colour = true});
        CHECK(plain.find('\x1b') == std::string::npos);
        CHECK(coloured.find("\x1b[1m") != std::string::npos);
        for (std::size_t at; (at = coloured.find('\x1b')) != std::string::npos;)
            coloured.erase(at, coloured.find('m', at) - at + 1);
        for (std::size_t i = 0; i < lines(plain).size(); ++i) {
            auto line = lines(coloured)[i];  // a painted cell keeps the spaces that pad it
            line.erase(line.find_last_not_of(' ') + 1);
            CHECK(line == lines(plain)[i]);
        }
        auto foreign = sample;
        set_texts(foreign, "größer 漢字");
        const auto ascii = find("table")->write(foreign, {.unicode = false});
        CHECK(std::ranges::all_of(ascii,
                                  [](char c) { return static_cast<unsigned char>(c) < 0x80; }));
        CHECK(ascii.find("gr??er ??") != std::string::npos);
    }
}

TEST_CASE("hidden cases show no data in any format") {
    auto sample = sample_report();
    auto& hidden = sample.tasks[1].outcome.cases[6];
    REQUIRE(hidden.visibility == Visibility::hidden);
    REQUIRE_FALSE(hidden.mismatches.empty());
    hidden.seed = 0x5ec4e75eedULL;
    for (const auto& format : formats()) {
        const auto text = format.write(sample, {});
        CHECK(text.find("LEAKED") == std::string::npos);
        CHECK(text.find("5ec4e75eed") == std::string::npos);
    }
}

TEST_CASE("what a submission prints cannot harm a terminal or a parser") {
    const std::string hostile = std::string("\x1b[2J\x1b]0;x\x07", 10) +
                                std::string("\0\x01\r\b\x7f", 5) +
                                "\xff\xfe\xc0\xaf\xed\xa0\x80\xf8\x80" + "\xc2\x9b" +  // C1: CSI
                                "\u202e\u2066\ufeff" + "end\xe2\x82";                  // cut off
    for (auto sample : samples()) {
        for (const auto* name : {"table", "yaml", "json"}) CHECK(shows_texts(*find(name), sample));
        set_texts(sample, hostile);
        for (const auto& format : formats()) {
            const auto text = format.write(sample, {});
            INFO(format.name);
            CHECK(is_utf8(text));
            // (JSON and YAML write the backslash twice.)
            CHECK((text.find("end\\xe2\\x82") != std::string::npos ||
                   text.find("end\\\\xe2\\\\x82") != std::string::npos) ==
                  shows_texts(format, sample));
            CHECK(std::ranges::none_of(text, [](char c) {
                const auto code = static_cast<unsigned char>(c);
                return (code < 32 && c != '\n') || code == 127;
            }));
            for (const auto* bad : {"\xc2\x9b", "\u202e", "\u2066", "\ufeff"})
                CHECK(text.find(bad) == std::string::npos);
        }
        CHECK(read_report(json(sample)));
    }
}

TEST_CASE("sizes are bounded, and what was cut says so") {
    auto sample = sample_report();
    std::string big;
    while (big.size() < 600'000) big += "a line of the compiler's, with an é\n";
    set_texts(sample, big);
    sample.notes.assign(100000, "note");
    for (const auto& format : formats()) {
        const auto text = format.write(sample, {});
        CHECK(text.size() < 500'000);
        CHECK(is_utf8(text));
    }
    const auto text = json(sample);
    CHECK(text.find("more bytes]") != std::string::npos);
    CHECK(json(*read_report(text)) == text);  // cutting twice cuts no more
}

TEST_CASE("lines are marked in files as they are seen from the caller") {
    const auto paths = [](const Style& style) {
        std::set<std::string> out;
        for (const auto& issue : Tree::parse(find("gitlab")->write(sample_report(), style)))
            out.insert(issue["location"]["path"].get<std::string>());
        return out;
    };
    CHECK(paths({}) == std::set<std::string>{"student.cu"});
    CHECK(paths({.folder = "./hw/ada", .source = "./hw/ada/"}) ==
          std::set<std::string>{"hw/ada", "hw/ada/student.cu"});
    const Style style{.folder = "hw 1,2", .source = "hw 1,2/student.cu"};
    CHECK(find("sarif")->write(sample_report(), style).find("\"hw%201%2C2/student.cu\"") !=
          std::string::npos);
    CHECK(find("github")->write(sample_report(), style).find("file=hw 1%2C2/student.cu,line=41,") !=
          std::string::npos);
}

TEST_CASE("numbers that are not finite become null, never invalid JSON") {
    for (const double bad :
         {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(),
          -std::numeric_limits<double>::infinity()}) {
        auto sample = sample_gpu();
        auto& timing = *sample.tasks[0].outcome.timing;
        timing.speedup = timing.low = timing.high = timing.baseline_us = timing.submission_us = bad;
        timing.samples = {{bad, bad}};
        const auto tree = Tree::parse(json(sample));
        const auto& performance = tree["tasks"][0]["performance"];
        CHECK(performance["speedup"].is_null());
        CHECK(performance["samples"][0]["baseline_us"].is_null());
        CHECK(read_report(json(sample)));
        for (const auto& format : formats()) CHECK_FALSE(format.write(sample, {}).empty());
    }
}

TEST_CASE("a speed below a tier reads as below it, and part of it counts as part") {
    Report report = sample_gpu();
    TaskReport& task = report.tasks[0];
    task.outcome.timing->basis = TimingOutcome::Basis::modelled;
    task.outcome.timing->speedup = 19.97;
    task.outcome.timing->boundary = 0;
    task.next_tier = 20;
    const auto table = [&] { return find("table")->write(report, {.width = 120}); };
    CHECK(table().find("19.97×, next tier at 20×") != std::string::npos);
    CHECK(Tree::parse(json(report))["tasks"][0]["performance"]["speedup"] == 19.97);
    task.next_tier = 19.97;  // from there on it is reached
    task.outcome.timing->speedup = 19.98;
    CHECK(table().find("20×") != std::string::npos);
    task.verdict = Verdict::wrong_answer;
    task.performance.earned = 3;
    CHECK(table().find("20×, counts in part") != std::string::npos);
    task.performance.earned = 0;
    CHECK(table().find("20×, does not count") != std::string::npos);
}

TEST_CASE("a speed that was not judged is not said to be measured") {
    Report r = sample_gpu();
    const auto table = [&] { return find("table")->write(r, {}); };
    REQUIRE(table().find("speed, measured on") != std::string::npos);
    for (TaskReport& task : r.tasks) {
        task.outcome.timing.reset();
        task.outcome.untimed = {NotJudged::Why::disturbed, "other programs were using the GPU"};
    }
    const std::string none = table();
    CAPTURE(none);
    CHECK(none.find("measured on") == std::string::npos);
    CHECK(none.find("speed, not judged\n" + r.tasks[0].name + ": ") != std::string::npos);
}

TEST_CASE("many failures are told once each, and not all of them") {
    auto sample = sample_report();
    auto& cases = sample.tasks[1].outcome.cases;
    const auto failure = cases[2];
    cases.clear();
    for (int id = 1; id <= 50; ++id) {
        cases.push_back(failure);
        cases.back().id = id;
        cases.back().message += fmt::format(" {}", id);
    }
    const auto table = find("table")->write(sample, {});
    CHECK(table.find("case 3: ") != std::string::npos);
    CHECK(table.find("case 4: ") == std::string::npos);
    CHECK(table.find("and 47 more cases with the same verdict") != std::string::npos);

    for (auto& c : cases) {
        c.message = "the same";
        c.mismatches.clear();
    }
    cases[7].verdict = Verdict::accepted;
    const auto merged = find("table")->write(sample, {});
    CHECK(merged.find("cases 1-7, 9-50") != std::string::npos);
    CHECK(merged.find("more cases") == std::string::npos);
}

TEST_CASE("of many failures those are told that say something new") {
    auto sample = sample_report();
    auto& cases = sample.tasks[1].outcome.cases;
    const auto failure = cases[2];
    cases.assign(10, failure);
    for (int id = 1; id <= 10; ++id) {
        cases[static_cast<std::size_t>(id - 1)].id = id;
        cases[static_cast<std::size_t>(id - 1)].pattern = id < 8 ? "all is zero" : "half is there";
    }
    const auto table = find("table")->write(sample, {});
    CHECK(table.find("case 1: ") != std::string::npos);
    CHECK(table.find("case 8: ") < table.find("case 2: "));
    CHECK(table.find("and 7 more cases with the same verdict") != std::string::npos);
}

TEST_CASE("a pattern is told of all the cases that are told as one, or not") {
    auto sample = sample_report();
    auto& cases = sample.tasks[1].outcome.cases;
    auto failure = cases[2];
    failure.mismatches.clear();
    failure.findings = {{.kind = "race",
                         .message = failure.message,
                         .warning = false,
                         .location = {},
                         .second_location = {}}};
    failure.pattern = "only the last block";
    cases.assign(2, failure);
    cases[1].id = cases[0].id + 1;
    CHECK(find("table")->write(sample, {}).find("only the last block") != std::string::npos);
    cases[1].pattern = "";
    CHECK(find("table")->write(sample, {}).find("only the last block") == std::string::npos);
}

TEST_CASE("the schema knows exactly the verdicts and the causes that there are") {
    std::ifstream in(CUGRADE_SOURCE_DIR "/docs/report.schema.json");
    const auto schema = Tree::parse(in);
    std::set<std::string> known, ours;
    for (const auto& verdict : schema["$defs"]["verdict"]["enum"])
        known.insert(verdict.get<std::string>());
    for (int i = 0; i <= static_cast<int>(Verdict::harness_error); ++i)
        ours.emplace(name(static_cast<Verdict>(i)));
    CHECK(known == ours);
    known.clear();
    ours.clear();
    for (const auto& id : schema["$defs"]["cause"]["properties"]["id"]["enum"])
        known.insert(id.get<std::string>());
    for (const CauseKind& kind : causes()) ours.emplace(kind.id);
    CHECK(known == ours);
    CHECK(schema["properties"]["schema_version"]["const"] == Report::schema_version);
}

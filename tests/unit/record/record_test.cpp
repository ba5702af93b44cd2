// The class: its roster, its gradebook, and marks as learning management systems import them.
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include "catch.hpp"
#include "core/utc.hpp"
#include "record/csv.hpp"
#include "record/gradebook.hpp"
#include "record/lms.hpp"
#include "record/roster.hpp"
#include "record/times.hpp"

using namespace cugrade;
using namespace cugrade::record;

namespace {

Roster roster_of(const std::string& text) {
    auto roster = Roster::read(text, "roster.csv");
    if (!roster) FAIL(roster.error().text());
    return *std::move(roster);
}

Row row_of(std::string student, const Report* report = nullptr) {
    return {.entry = {.assignment = "scan", .student = std::move(student), .listed = std::nullopt},
            .report = report};
}

std::string id_of(const Named& named) {
    return named.student != nullptr ? named.student->id : "nobody";
}

/// What is wrong with a roster.
std::string fault(const std::string& text) {
    const auto roster = Roster::read(text, "roster.csv");
    return roster ? "nothing" : roster.error().text();
}

}  // namespace

TEST_CASE("fields of the gradebook are quoted and are no formulas") {
    CHECK(csv_field("ada") == "ada");
    CHECK(csv_field("Lovelace, Ada") == "\"Lovelace, Ada\"");
    CHECK(csv_field("the \"best\"") == "\"the \"\"best\"\"\"");
    CHECK(csv_field("two\nlines") == "\"two\nlines\"");
    CHECK(csv_field("=HYPERLINK(\"x\")") == "\"'=HYPERLINK(\"\"x\"\")\"");
    for (const char* formula : {"+1", "-1", "@x", "\tx"})
        CHECK(csv_field(formula) == "'" + std::string(formula));
    CHECK(csv_field("").empty());
    CHECK(csv_field("a=b") == "a=b");
}

TEST_CASE("rows of the gradebook") {
    Report report;
    report.score = {.earned = 35.5, .judged = 70, .possible = 100};
    report.verdict = Verdict::wrong_answer;
    report.provenance.backend = "emulator";
    report.submission_sha256 = "abc";
    Row ada = row_of("ada", &report), bob = row_of("bob"), cy = row_of("cy"), dan = row_of("dan");
    ada.mark = Mark{.points = 31.95, .why = "1 day late, = 10 % less"};
    bob.entry.problem = "x";
    cy.entry.is_missing = dan.entry.is_missing = true;
    dan.mark = Mark{.points = 40, .why = "no mark -> 40 by prof"};
    dan.decided = Decision{};
    const std::string csv = gradebook_csv({ada, bob, cy, dan, row_of("not graded yet")});
    CHECK(csv ==
          "student,assignment,earned,judged,possible,percent,verdict,backend,sha256,report,mark,"
          "adjustment\r\n"
          "ada,scan,35.5,70,100,50.71,wrong_answer,emulator,abc,reports/scan/ada.txt,31.95,"
          "\"1 day late, = 10 % less\"\r\n"
          "bob,scan,,,,,harness_error,,,,,\r\n"
          "cy,scan,,,,,missing,,,,,\r\n"
          "dan,scan,,,,,missing,,,,40,no mark -> 40 by prof\r\n");
}

TEST_CASE("the gradebook has a column of points per task") {
    Report one, two;
    one.tasks = {{.name = "a", .score = {.earned = 2.5, .judged = 3, .possible = 3}},
                 {.name = "b", .score = {.possible = 4}}};
    two.tasks = {{.name = "a", .score = {.earned = 0, .judged = 1, .possible = 1}}};
    const auto lines = [](const std::vector<Row>& rows) {
        std::vector<std::string> ends;
        std::istringstream in(gradebook_csv(rows));
        for (std::string line; std::getline(in, line);)
            ends.push_back(line.substr(line.find(ends.empty() ? ",report" : "txt")));
        return ends;
    };
    const Row scan = row_of("ada", &one);
    Row map = row_of("ada", &two);
    map.entry.assignment = "map";
    CHECK(lines({scan}) ==
          std::vector<std::string>{",report,mark,adjustment,a,b\r", "txt,,,2.5,\r"});
    CHECK(lines({map, scan}) ==
          std::vector<std::string>{",report,mark,adjustment,map/a,scan/a,scan/b\r", "txt,,,0,,\r",
                                   "txt,,,,2.5,\r"});
}

TEST_CASE("a table is read as spreadsheets write it") {
    const auto rows = read_csv(
        "\xEF\xBB\xBFid,name\r\n\r\na1,\"Lovelace, \"\"Ada\"\"\"\nb2,\"two\nlines\"\r\nc3,", "x");
    REQUIRE(rows.ok());
    REQUIRE(rows->size() == 4);
    CHECK((*rows)[0].fields == std::vector<std::string>{"id", "name"});
    CHECK((*rows)[1].fields == std::vector<std::string>{"a1", "Lovelace, \"Ada\""});
    CHECK((*rows)[1].line == 3);
    CHECK((*rows)[2].fields == std::vector<std::string>{"b2", "two\nlines"});
    CHECK((*rows)[3].fields == std::vector<std::string>{"c3", ""});
    CHECK((*rows)[3].line == 6);
    CHECK(read_csv("", "x")->empty());
    CHECK(read_csv("a,b\n1\n", "x").error().text().starts_with("x:2: 1 fields, and there are 2"));
    CHECK(
        read_csv("a\n\"b\n", "x").error().text().starts_with("x:2: a double quote is not closed"));
    CHECK(read_csv("a\n\"b\"c\n", "x").error().text().starts_with("x:2: text follows"));
}

TEST_CASE("what is written is read back") {
    for (const std::string text :
         {"ada", "Lovelace, Ada", "the \"best\"", "two\nlines", "", "x\ry"}) {
        const auto rows = read_csv("a,b\n" + csv_field(text) + ",end\n", "x");
        REQUIRE(rows.ok());
        CHECK(rows->at(1).fields == std::vector<std::string>{text, "end"});
    }
}

TEST_CASE("hand-ins are named by id, by Moodle and by Canvas") {
    const Roster roster = roster_of(
        "id,name,lms_id,section\n"
        "s1,Ada Lovelace,5107,A\n"
        "s2,\"Am\u00e9lie Dupont\",88,B\n"
        "s3,Grace Hopper,,A\n"
        "s4,Grace Hopper,91,B\n");
    CHECK(roster.students().size() == 4);
    CHECK(id_of(roster.whose("s1")) == "s1");
    CHECK(id_of(roster.whose("S1")) == "nobody");
    const Named moodle = roster.whose("Ada Lovelace_1234567_assignsubmission_file_");
    CHECK(id_of(moodle) == "s1");
    CHECK(moodle.participant == "1234567");
    CHECK(id_of(roster.whose("ada lovelace_9_assignsubmission_file")) == "s1");
    CHECK(id_of(roster.whose("Ame\u0301lie Dupont_7_assignsubmission_file_scan")) == "s2");
    const Named either = roster.whose("Grace Hopper_3_assignsubmission_file_");
    CHECK(id_of(either) == "nobody");
    CHECK(either.problem ==
          "Grace Hopper_3_assignsubmission_file_ may be s3 or s4; call it by the id");
    CHECK(id_of(roster.whose("lovelaceada_5107_90210_scan")) == "s1");
    CHECK_FALSE(roster.whose("lovelaceada_5107_90210_scan").is_late);
    CHECK(id_of(roster.whose("dupontamelie_LATE_88_90211_scan-1")) == "s2");
    CHECK(roster.whose("dupontamelie_LATE_88_90211_scan-1").is_late);
    // A number that belongs to nobody, also where a student has none.
    CHECK(id_of(roster.whose("lovelaceada_5_90210_scan")) == "nobody");
    CHECK(id_of(roster.whose("hoppergrace__90210_scan")) == "nobody");
    CHECK(id_of(roster.whose("mallory")) == "nobody");
    CHECK(roster.whose("mallory").problem.empty());
}

TEST_CASE("Moodle's worksheet says when hand-ins came") {
    const auto sheet = [](const std::string& time, const std::string& id = "Participant 77") {
        return "Identifier,Full name,Status,Last modified (submission),Last modified (grade)\n" +
               id + ",Ada,Submitted,\"" + time + "\",-\nParticipant 78,Bob,No submission,-,-\n";
    };
    const auto at = [&](const std::string& time, const std::string& zone) {
        const auto times = read_times(sheet(time), "w.csv", "submitted_at", zone);
        if (!times) FAIL(times.error().text());
        REQUIRE(times->size() == 1);
        CHECK(times->at(0).participant == "77");
        CHECK(find(*times, "s1", "scan", "77") == &times->at(0));
        CHECK(find(*times, "s1", "scan", "78") == nullptr);
        CHECK(find(*times, "", "", "") == nullptr);
        return utc_text(times->at(0).at);
    };
    CHECK(at("Tuesday, 3 November 2026, 11:59 PM", "+00:00") == "2026-11-03T23:59:00Z");
    CHECK(at("Tuesday, 3 November 2026, 12:05 AM", "-05:00") == "2026-11-03T05:05:00Z");
    CHECK(at("Tuesday, 3 November 2026, 12:05 PM", "+01:00") == "2026-11-03T11:05:00Z");
    CHECK(at("Tuesday, November 3, 2026, 9:05 AM", "+00:00") == "2026-11-03T09:05:00Z");
    CHECK(at("3 November 2026, 21:05", "+00:00") == "2026-11-03T21:05:00Z");
    const auto fault = [&](const std::string& text, const std::string& zone) {
        const auto times = read_times(text, "w.csv", "submitted_at", zone);
        return times ? std::string("nothing") : times.error().message;
    };
    const std::string good = "Tuesday, 3 November 2026, 11:59 PM";
    CHECK(fault(sheet(good), "") == "the times of Moodle's worksheet do not say their zone");
    CHECK(fault(sheet(good), "Mars/Olympus") == "there is no time zone `Mars/Olympus`");
    CHECK(fault(sheet(good), "../../etc/passwd") == "there is no time zone `../../etc/passwd`");
    for (const std::string time :
         {"Dienstag, 3. November 2026, 23:59", "Tuesday, 31 November 2026, 11:59 PM",
          "Tuesday, 3 November 2026, 13:59 PM", "Tuesday, 3 Nov 2026, 11:59 PM", "yesterday"})
        CHECK(fault(sheet(time), "+00:00") == "`" + time + "` is no time");
    CHECK(fault(sheet(good, "77"), "+00:00") == "`77` is no identifier");
    // As a table of extensions it is none.
    CHECK_FALSE(read_times(sheet(good), "w.csv", "until", "+00:00"));
}

TEST_CASE("a clock in a zone has summer time") {
    if (!std::filesystem::exists("/usr/share/zoneinfo/Europe/Berlin")) {
        WARN("this system has no time zones");
        return;
    }
    const auto at = [](int month, int day, int hour) {
        const auto time = unix_time(
            ClockTime{.year = 2026, .month = month, .day = day, .hour = hour, .minute = 30},
            "Europe/Berlin");
        return time ? utc_text(*time) : "none";
    };
    CHECK(at(1, 15, 12) == "2026-01-15T11:30:00Z");
    CHECK(at(7, 15, 12) == "2026-07-15T10:30:00Z");
    CHECK(at(2, 30, 12) == "none");
    CHECK(utc_text(0) == "1970-01-01T00:00:00Z");
}

TEST_CASE("a wrong roster is told by line") {
    CHECK(fault("").starts_with("roster.csv: the roster is empty"));
    CHECK(fault("name\nAda\n").starts_with("roster.csv:1: there is no column `id`"));
    CHECK(fault("id,mail\n1,x\n").starts_with("roster.csv:1: unknown column `mail`"));
    CHECK(fault("id;name\n1;x\n").ends_with("separate columns by commas"));
    CHECK(fault("id,id\n1,1\n").starts_with("roster.csv:1: two columns `id`"));
    CHECK(fault("id\na\nb\na\n").starts_with("roster.csv:4: the id a is that of line 2, too"));
    // Other programs find students by these: they may not become another text in a table.
    for (const char* formula : {"=1+1", "+49", "-7", "@ada"}) {
        CHECK(fault(std::string("id,name\nada,Ada\n") + formula + ",Bob\n")
                  .starts_with(std::string("roster.csv:3: the id ") + formula +
                               " begins like a formula of a spreadsheet"));
        CHECK(fault(std::string("id,lms_id\nada,") + formula + "\n")
                  .starts_with(std::string("roster.csv:2: the lms_id ") + formula +
                               " begins like a formula of a spreadsheet"));
    }
    CHECK(fault("id,name\ns-1,=Ada\n") == "nothing");  // nobody finds a student by the name
    CHECK(fault("id,name\n,Ada\n").starts_with("roster.csv:2: a student without an id"));
}

TEST_CASE("marks for Canvas and Moodle") {
    const Roster roster = roster_of(
        "id,name,lms_id,section,email\n"
        "s1,\"Lovelace, Ada\",5107,A,ada@x.edu\n"
        "s2,Grace Hopper,,,\n");
    Report scan, map;
    scan.assignment = "scan";
    scan.assignment_title = "Prefix sums";
    scan.score = {.earned = 62.5, .judged = 70, .possible = 100};
    map.assignment = "map";
    map.assignment_title = "Map, gather";
    map.score = {.earned = 9, .judged = 30, .possible = 30};
    const auto row = [&](std::size_t student, std::string participant, const Report& report) {
        Row out = row_of("x", &report);
        out.entry.assignment = report.assignment;
        out.entry.listed = roster.students()[student];
        out.entry.participant = std::move(participant);
        out.mark = Mark{.points = report.score.earned, .why = {}};
        return out;
    };
    const std::vector<Row> all{row(0, "77", map), row(0, "", scan), row(1, "78", map)};
    CHECK(canvas_csv(all) ==
          "Student,ID,SIS User ID,SIS Login ID,Section,\"Map, gather\",Prefix sums\r\n"
          "    Points Possible,,,,,30,100\r\n"
          "\"Lovelace, Ada\",5107,,,A,9,62.5\r\n"
          "Grace Hopper,,s2,,,9,\r\n");
    const auto worksheet = read_csv(moodle_csv(all), "x");
    REQUIRE(worksheet.ok());
    REQUIRE(worksheet->size() == 3);
    CHECK((*worksheet)[0].fields ==
          std::vector<std::string>{"Identifier", "Full name", "Email address", "Grade",
                                   "Maximum Grade", "Last modified (grade)", "Feedback comments"});
    CHECK((*worksheet)[1].fields[0] == "Participant 77");
    CHECK((*worksheet)[1].fields[3] == "9");
    CHECK((*worksheet)[2].fields[0] == "Participant 78");
}

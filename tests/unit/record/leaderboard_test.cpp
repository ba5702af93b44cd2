// The leaderboard: who may be on it, under which name, and at which rank.
#include <string>
#include <vector>

#include "catch.hpp"
#include "record/chosen_names.hpp"
#include "record/class_page.hpp"
#include "record/class_table.hpp"
#include "record/leaderboard.hpp"

using namespace cugrade;
using namespace cugrade::record;

namespace {

bool holds(std::string_view text, std::string_view part) {
    return text.find(part) != std::string_view::npos;
}

Report report_of(double speedup, Verdict verdict = Verdict::accepted) {
    Report out;
    out.assignment = "scan";
    out.assignment_title = "Prefix sums";
    out.score = {.earned = 73.25, .judged = 80, .possible = 80};
    TaskReport task;
    task.name = "inclusive";
    task.title = "A prefix sum";
    task.verdict = verdict;
    CaseOutcome outcome;
    outcome.verdict = verdict;
    outcome.message = "it dies";
    task.outcome.cases.push_back(outcome);
    task.outcome.timing.emplace();
    task.outcome.timing->speedup = speedup;
    task.outcome.timing->measured_on = "NVIDIA H100";
    out.tasks.push_back(std::move(task));
    return out;
}

TimingOutcome& timing_of(Report& report) { return *report.tasks[0].outcome.timing; }

Report modelled(double speedup) {
    Report out = report_of(speedup);
    timing_of(out).basis = TimingOutcome::Basis::modelled;
    timing_of(out).measured_on = "";
    timing_of(out).modelled_on = "NVIDIA H200";
    return out;
}

Row row_of(const std::string& id, const Report* report) {
    return {.entry = {.assignment = "scan",
                      .student = id,
                      .listed = Student{.id = id,
                                        .name = "Real Name of " + id,
                                        .lms_id = "",
                                        .section = "",
                                        .email = id + "@x.edu"}},
            .report = report};
}

/// A class with a leaderboard, in which everybody but `quiet` has chosen "Nick of <id>".
struct Sample {
    std::vector<Report> reports;
    GradingPolicy policy;
    ChosenNames names;
    ClassView view;

    explicit Sample(std::vector<std::pair<std::string, Report>> students) {
        policy.leaderboard = LeaderboardPolicy{.names = "names.csv"};
        reports.reserve(students.size());
        for (auto& [id, report] : students) {
            reports.push_back(std::move(report));
            view.rows.push_back(row_of(id, &reports.back()));
            if (id != "quiet") names.of[id] = "Nick of " + id;
        }
        view.policy = &policy;
        view.chosen_names = &names;
    }
    Sample(const Sample&) = delete;
};

/// "1 Nick of a 4, 2 ...".
std::string places_of(const Ranking& ranking) {
    std::string out;
    for (const Place& place : ranking.places)
        out += (out.empty() ? "" : ", ") + std::to_string(place.rank) + " " + place.name + " " +
               place.speedup;
    return out;
}

std::string places_of(const Sample& sample) {
    const auto rankings = rankings_of(sample.view);
    REQUIRE(rankings.size() <= 1);
    return rankings.empty() ? "nobody" : places_of(rankings[0]);
}

std::vector<Entry> entries_of(bool has_roster) {
    std::vector<Entry> out;
    for (const char* id : {"s1", "s2"}) {
        out.push_back({.assignment = "scan", .student = id, .listed = std::nullopt});
        if (has_roster)
            out.back().listed = Student{.id = id,
                                        .name = std::string("Real ") + id,
                                        .lms_id = "510" + std::string(id + 1),
                                        .section = "A",
                                        .email = std::string(id) + "@x.edu"};
    }
    return out;
}

std::string fault(const std::string& text, bool has_roster = true) {
    const auto names = read_chosen_names(text, "names.csv", entries_of(has_roster));
    return names ? "nothing" : names.error().text();
}

}  // namespace

TEST_CASE("the fastest is first, and who shows the same speedup has the same rank") {
    const Sample sample({{"a", report_of(4)},
                         {"d", report_of(12.04)},
                         {"c", report_of(12.01)},
                         {"b", report_of(1234.5)},
                         {"quiet", report_of(99)}});
    CHECK(places_of(sample) == "1 Nick of b 1234, 2 Nick of c 12, 2 Nick of d 12, 4 Nick of a 4");
}

TEST_CASE("who is not right, or whose speed does not count, is in no ranking") {
    CHECK(places_of(Sample({{"a", report_of(4, Verdict::wrong_answer)}})) == "nobody");
    CHECK(places_of(Sample({{"a", report_of(4, Verdict::suspicious)}})) == "nobody");
    Report untimed = report_of(4);
    untimed.tasks[0].outcome.timing.reset();
    CHECK(places_of(Sample({{"a", untimed}})) == "nobody");
    // Right in this task, and in another one for a person to decide, or caught.
    for (const Verdict verdict : {Verdict::suspicious, Verdict::tampering}) {
        Report doubtful = report_of(4);
        doubtful.tasks.push_back(report_of(4, verdict).tasks[0]);
        CHECK(places_of(Sample({{"a", doubtful}})) == "nobody");
    }
    // The model knows kernels only; a clock knows all.
    const std::string note = "inclusive: 90 % of it, " + std::string(done_on_the_host) + ": none";
    Report host = modelled(400);
    host.notes = {note};
    CHECK(places_of(Sample({{"a", host}})) == "nobody");
    Report measured = report_of(4);
    measured.notes = {note};
    CHECK(places_of(Sample({{"a", measured}})) == "1 Nick of a 4");
    Sample ungraded({{"a", report_of(4)}});
    ungraded.view.rows[0].report = nullptr;
    CHECK(places_of(ungraded) == "nobody");
}

TEST_CASE("measured and modelled speedups, and those of other GPUs, are not compared") {
    Report other = report_of(7);
    timing_of(other).measured_on = "NVIDIA A100";
    const Sample sample({{"a", report_of(4)}, {"b", modelled(5)}, {"c", other}});
    const auto rankings = rankings_of(sample.view);
    REQUIRE(rankings.size() == 3);
    CHECK(places_of(rankings[0]) == "1 Nick of a 4");
    CHECK(places_of(rankings[1]) == "1 Nick of b 5");
    CHECK(places_of(rankings[2]) == "1 Nick of c 7");
    CHECK(holds(leaderboard_page(sample.view), "measured on NVIDIA A100"));
    CHECK(holds(leaderboard_page(sample.view), "modelled on NVIDIA H200"));
}

TEST_CASE("who has chosen no name is not there, or anonymous if the policy says so") {
    Sample sample({{"a", report_of(4)}, {"quiet", report_of(8)}});
    CHECK(places_of(sample) == "1 Nick of a 4");
    sample.policy.leaderboard->anonymous = true;
    CHECK(places_of(sample) == "1 anonymous 8, 2 Nick of a 4");
}

TEST_CASE("the policy may choose tasks") {
    Sample sample({{"a", report_of(4)}});
    sample.policy.leaderboard->tasks = {{"scan", "exclusive"}, {"map", "inclusive"}};
    CHECK(places_of(sample) == "nobody");
    CHECK(holds(leaderboard_page(sample.view), "Nobody is in a ranking yet."));
    sample.policy.leaderboard->tasks.push_back({"scan", "inclusive"});
    CHECK(places_of(sample) == "1 Nick of a 4");
}

TEST_CASE("the page for students has chosen names, and nothing that staff know") {
    Sample sample({{"s771", report_of(4)}, {"quiet", report_of(8)}});
    sample.policy.leaderboard->anonymous = true;
    sample.names.of["s771"] = "<b>Fast</b>";
    sample.names.nobodys = {"s999"};
    const std::string page = leaderboard_page(sample.view);
    CHECK(holds(page, "<bdi>&lt;b&gt;Fast&lt;/b&gt;</bdi>"));
    for (const char* secret :
         {"s771", "s999", "quiet<", "Real Name", "@x.edu", "73.25", "href", "<script"})
        CHECK_FALSE(holds(page, secret));
    const std::string for_staff = class_page(sample.view);
    CHECK(holds(for_staff, "<a href=\"pages/scan/s771.html\"><bdi>s771</bdi></a>"));
    CHECK(holds(for_staff, "href=\"leaderboard.html\""));
    CHECK(holds(for_staff, "not in the class: s999"));
    const std::string terminal = class_table(sample.view, {.width = 80});
    CHECK(holds(terminal, "Leaderboard\n  scan/inclusive: times the baseline, measured on NVIDIA"));
    CHECK(holds(terminal, "      1        8  anonymous\n      2        4  <b>Fast</b>\n"));
    sample.view.chosen_names = nullptr;
    CHECK_FALSE(holds(class_page(sample.view), "eaderboard"));
    CHECK_FALSE(holds(class_table(sample.view, {.width = 80}), "Leaderboard"));
}

TEST_CASE("chosen names are read") {
    const auto names =
        read_chosen_names("name,id\n  Näh  Maschine ,s1\n,s2\n", "names.csv", entries_of(true));
    if (!names) FAIL(names.error().text());
    CHECK(names->of == std::map<std::string, std::string>{{"s1", "Näh Maschine"}});
    // Without a roster nobody knows who is in the class and has not handed in.
    const auto more = read_chosen_names("id,name\ns9,Zoom\n", "names.csv", entries_of(false));
    REQUIRE(more.ok());
    CHECK(more->of.empty());
    CHECK(more->nobodys == std::vector<std::string>{"s9"});
}

TEST_CASE("a wrong table of chosen names is told by line") {
    CHECK(fault("") == "names.csv: the table is empty\n  begin it with the line id,name");
    CHECK(fault("id\ns1\n").starts_with("names.csv:1: there is no column `name`"));
    CHECK(fault("id,nick\ns1,x\n").starts_with("names.csv:1: unknown column `nick`"));
    CHECK(fault("id,name\ns1,A\ns1,B\n").starts_with("names.csv:3: the id s1 is that of line 2"));
    CHECK(fault("id,name\n,A\n").starts_with("names.csv:2: a name without an id"));
    CHECK(fault("id,name\ns3,A\n").starts_with("names.csv:2: nobody in the class has the id s3"));
    CHECK(fault("id,name\ns1,A\ns2,B\xFF\n").starts_with("names.csv:3: the table is not UTF-8"));
    CHECK(fault("id,name\ns1,\"A\tB\"\n").starts_with("names.csv:2: the name A\\x09B has "));
    CHECK(fault("id,name\ns1,A\xE2\x80\xAE"
                "B\n")
              .starts_with("names.csv:2: the name A\\u202eB"));
    CHECK(fault("id,name\ns1," + std::string(41, 'x') + "\n").find("has 41 characters") !=
          std::string::npos);
    std::string long_enough;
    for (std::size_t i = 0; i < longest_chosen_name; ++i) long_enough += "ä";
    CHECK(fault("id,name\ns1," + long_enough + "\n") == "nothing");
    CHECK(fault("id,name\ns1,Zoom\ns2,\"zoom \"\n")
              .starts_with("names.csv:3: the name zoom is that of line 2, too"));
    CHECK(fault("id,name\ns1,Anonymous\n").starts_with("names.csv:2: nobody may be called"));
    for (const char* known : {"S2", "real s2", "5102", "s2@x.edu"})
        CHECK(fault(std::string("id,name\ns1,") + known + "\n")
                  .starts_with(std::string("names.csv:2: ") + known + " is the id, name"));
}

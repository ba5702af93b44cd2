#include <cmath>

#include "config/load.hpp"
#include "datasets/seeds.hpp"
#include "expect_error.hpp"
#include "temporary.hpp"

using namespace cugrade;
using namespace cugrade::config;

namespace {

const std::string good = R"(schema_version: 1
defaults:
  hidden_weight: 2
  limits: {compile_wall: 60, wall: 20, cpu: 20.5, total: 600, memory: 2GiB, processes: 64, file: 64MiB, output: 1MiB, instructions: 200000000, device_memory: 2GiB}
  tiers: [{speedup: 1.5, credit: 0.25}, {speedup: 3, credit: 1}]
assignments:
  blur:
    limits: {wall: 5, memory: 1048576}
    tasks:
      rows: {correctness: 30, performance: 12.5, tiers: [{speedup: 4, credit: 0.5}]}
      columns: {correctness: 20, performance: 10, hidden_weight: 3}
  sort:
    tasks:
      keys: {correctness: 100}
)";

TaskSpec task(std::string name, bool timed) {
    TaskSpec t;
    t.name = std::move(name);
    t.cases.resize(2);
    t.cases[1].timed = t.cases[1].needs_gpu = timed;
    return t;
}

std::vector<AssignmentSpec> specs() {
    AssignmentSpec blur;
    blur.id = "blur";
    blur.tasks = {task("rows", true), task("columns", true)};
    AssignmentSpec sort;
    sort.id = "sort";
    sort.tasks = {task("keys", false)};
    return {blur, sort};
}

}  // namespace

TEST_CASE("a policy is read, and what a task does not state it inherits") {
    const Temporary folder;
    const auto file = folder.write("grading.yaml", good);
    const auto policy = load_policy(file, specs());
    if (!policy) FAIL(policy.error().text());
    CHECK(policy->file == file.string());
    CHECK(policy->sha256 == datasets::sha256(good));
    const auto& blur = policy->assignments.at("blur");
    CHECK(blur.limits.wall_s == 5);
    CHECK(blur.limits.memory_bytes == 1048576);
    CHECK(blur.limits.cpu_s == 20.5);
    CHECK(blur.limits.compile_wall_s == 60);
    CHECK(blur.limits.processes == 64);
    CHECK(blur.limits.file_bytes == 64ULL << 20);
    CHECK(blur.limits.output_bytes == 1ULL << 20);
    CHECK(blur.limits.warp_instructions == 200000000);
    CHECK(blur.limits.device_memory_bytes == 2ULL << 30);
    const auto& rows = blur.tasks.at("rows");
    CHECK(rows.points() == 42.5);
    CHECK(rows.hidden_weight == 2);
    REQUIRE(rows.tiers.size() == 1);
    CHECK(rows.tiers[0].speedup == 4);
    CHECK(rows.tiers[0].credit == 0.5);
    const auto& columns = blur.tasks.at("columns");
    CHECK(columns.hidden_weight == 3);
    CHECK(columns.tiers.size() == 2);
    const auto& sort = policy->assignments.at("sort");
    CHECK(sort.limits.wall_s == 20);
    CHECK(sort.tasks.at("keys").performance == 0);
}

TEST_CASE("every mistake in a policy is told with its place") {
    const std::vector<BadRow> rows{
        {"schema_version: 1", "schema_version: @9", "", "schema_version", "version 9"},
        {"  hidden_weight: 2\n", "", "limits: {compile_wall: 6", "defaults",
         "`hidden_weight` is missing"},
        {"hidden_weight: 2", "hidden_weight: @0", "", "defaults.hidden_weight", "out of range"},
        {"  hidden_weight: 2\n", "  hidden_weight: 2\n  require: @al\n", "", "defaults.require",
         "did you mean `all`?"},
        {"hidden_weight: 2", "@hidden_wieght: 2", "", "defaults.hidden_wieght",
         "did you mean `hidden_weight`?"},
        {"compile_wall: 60, ", "", "{wall: 20, cpu: 20.5, to", "defaults.limits",
         "`compile_wall` is missing"},
        {"memory: 2GiB", "memory: @2GB", "", "defaults.limits.memory", "not a size"},
        {"processes: 64", "processes: @0", "", "defaults.limits.processes", "out of range"},
        {"processes: 64", "processes: @6.4", "", "defaults.limits.processes", "not a whole number"},
        {"cpu: 20.5", "cpu: @soon", "", "defaults.limits.cpu", "a number is expected"},
        {"cpu: 20.5", "cpu: @.inf", "", "defaults.limits.cpu", "not a finite number"},
        {"wall: 5", "@wal: 5", "", "assignments.blur.limits.wal", "did you mean `wall`?"},
        {"speedup: 1.5, credit: 0.25}, {speedup: 3", "speedup: 3, credit: 0.25}, {speedup: @3", "",
         "defaults.tiers[1].speedup", "tiers out of order"},
        {"credit: 0.25}, {speedup: 3, credit: 1", "credit: 1}, {speedup: 3, credit: @1", "",
         "defaults.tiers[1].credit", "tiers out of order"},
        {"credit: 0.25", "credit: @1.25", "", "defaults.tiers[0].credit", "out of range"},
        {"credit: 0.25", "credit: @0", "", "defaults.tiers[0].credit", "without credit"},
        {"credit: 0.25", "credit: 0.25, @note: x", "", "defaults.tiers[0].note", "unknown key"},
        {"speedup: 1.5, ", "", "{credit: 0.25}, {speedup", "defaults.tiers[0]",
         "`speedup` is missing"},
        {"speedup: 1.5", "speedup: @nan", "", "defaults.tiers[0].speedup", "not a finite number"},
        {"tiers: [{speedup: 4, credit: 0.5}]", "tiers: @4", "", "assignments.blur.tasks.rows.tiers",
         "a list is expected"},
        {"correctness: 30", "correctness: @-30", "", "assignments.blur.tasks.rows.correctness",
         "out of range"},
        {"correctness: 30", "correctness: @30.001", "", "assignments.blur.tasks.rows.correctness",
         "two decimals"},
        {"correctness: 30", "correctness: @true", "", "assignments.blur.tasks.rows.correctness",
         "a number is expected"},
        {"correctness: 30, ", "", "{performance: 12.5, tier", "assignments.blur.tasks.rows",
         "`correctness` is missing"},
        {"      columns:", "      @colums:", "", "assignments.blur.tasks.colums",
         "did you mean `columns`?"},
        {"keys: {correctness: 100}", "{}", "{}", "assignments.sort.tasks",
         "no task of `sort` has points"},
        {"correctness: 100", "correctness: 0", "{correctness: 0}", "assignments.sort.tasks.keys",
         "no points"},
        {"correctness: 100", "correctness: 100, performance: @5", "",
         "assignments.sort.tasks.keys.performance", "no timed case"},
        {"correctness: 100", "correctness: 100, technique: @{points: 5}", "",
         "assignments.sort.tasks.keys.technique", "`limits` is missing"},
        {"correctness: 100", "correctness: 100, technique: {points: 5, limits: @{}}", "",
         "assignments.sort.tasks.keys.technique.limits", "no counter is limited"},
        {"correctness: 100",
         "correctness: 100, technique: {points: 5, limits: {@divergent_branch: {max: 1}}}", "",
         "assignments.sort.tasks.keys.technique.limits.divergent_branch",
         "did you mean `divergent_branches`?"},
        {"correctness: 100",
         "correctness: 100, technique: {points: 5, limits: {divergent_branches: {max: @-1}}}", "",
         "assignments.sort.tasks.keys.technique.limits.divergent_branches.max", "out of range"},
        {"  sort:", "  @sorts:", "", "assignments.sorts", "did you mean `sort`?"},
        {"correctness: 100", "correctness: 100, forbid: @{message: x}", "",
         "assignments.sort.tasks.keys.forbid", "nothing is forbidden"},
        {"correctness: 100", "correctness: 100, forbid: {calls: [@\"cub::\"]}", "",
         "assignments.sort.tasks.keys.forbid.calls[0]", "not the name of a function"},
        {"correctness: 100", "correctness: 100, forbid: {calls: [@\"f(int\"]}", "",
         "assignments.sort.tasks.keys.forbid.calls[0]", "not the name of a function"},
        {"correctness: 100", "correctness: 100, forbid: [{includes: [@<cub/cub.cuh>]}]", "",
         "assignments.sort.tasks.keys.forbid[0].includes[0]", "not the name of a header"},
        {"assignments:\n", "leaderboard: @{tasks: [blur/rows]}\nassignments:\n", "", "leaderboard",
         "`names` is missing"},
        {"assignments:\n", "leaderboard: {names: @\"\"}\nassignments:\n", "", "leaderboard.names",
         "this text is empty"},
        {"assignments:\n", "leaderboard: {names: n, @ids: y}\nassignments:\n", "",
         "leaderboard.ids", "unknown key"},
        {"assignments:\n", "leaderboard: {names: n, tasks: [@rows]}\nassignments:\n", "",
         "leaderboard.tasks[0]", "there is no task `rows`"},
        {"assignments:\n", "leaderboard: {names: n, tasks: [@sort/keys]}\nassignments:\n", "",
         "leaderboard.tasks[0]", "sort/keys has no timed case"},
        {"assignments:\n",
         "leaderboard: {names: n, tasks: [blur/rows, @blur/rows]}\nassignments:\n", "",
         "leaderboard.tasks[1]", "in the list already"},
        {"  blur:\n", "  blur: {}\n  @blur:\n", "", "assignments.blur",
         "given twice, first in line 7"},
    };
    const Temporary folder;
    const auto file = folder.path() / "grading.yaml";
    for (const auto& row : rows)
        expect_error(good, row, file.string(), [&](const std::string& text) {
            return load_policy(folder.write("grading.yaml", text), specs());
        });
}

TEST_CASE("the points of an assignment's tasks add up to what the policy says") {
    const Temporary folder;
    const auto error = [&](const std::string& defaults, const std::string& of_blur) {
        std::string text = good;
        text.replace(text.find("  tiers:"), 0, defaults);
        text.replace(text.find("    limits: {wall: 5"), 0, of_blur);
        const auto policy = load_policy(folder.write("grading.yaml", text), specs());
        return policy ? Error{} : policy.error();
    };
    CHECK(error("", "").message.empty());
    CHECK(error("  points: 100\n", "    points: 72.5\n").message.empty());
    const Error inherited = error("  points: 100\n", "");
    CHECK(inherited.key == "assignments.blur.tasks");
    CHECK(inherited.message == "the tasks have 72.5 points together, and `points` says 100");
    const Error own = error("", "    points: 72.51\n");
    CHECK(own.key == "assignments.blur.points");
    CHECK(own.line == 8);
    CHECK(own.message == "the tasks have 72.5 points together, and `points` says 72.51");
}

TEST_CASE("which attempt counts is the last unless the policy says otherwise") {
    const Temporary folder;
    std::string text = good;
    const auto attempts = [&] {
        const auto policy = load_policy(folder.write("grading.yaml", text), specs());
        if (!policy) FAIL(policy.error().text());
        return std::pair{policy->assignments.at("blur").attempts,
                         policy->assignments.at("sort").attempts};
    };
    CHECK(attempts() == std::pair{Attempts::last, Attempts::last});
    text.insert(text.find("  tiers:"), "  attempts: best\n");
    CHECK(attempts() == std::pair{Attempts::best, Attempts::best});
    text.insert(text.find("    limits: {wall: 5"), "    attempts: final\n");
    CHECK(attempts() == std::pair{Attempts::last_in_time, Attempts::best});
    text.replace(text.find("final"), 5, "finale");
    const auto wrong = load_policy(folder.write("grading.yaml", text), specs());
    REQUIRE_FALSE(wrong);
    CHECK(wrong.error().key == "assignments.blur.attempts");
}

TEST_CASE("reports tell students all, unless the policy says how much") {
    const Temporary folder;
    std::string text = good;
    const auto hints = [&] {
        const auto policy = load_policy(folder.write("grading.yaml", text), specs());
        if (!policy) FAIL(policy.error().text());
        return std::pair{policy->assignments.at("blur").hints,
                         policy->assignments.at("sort").hints};
    };
    CHECK(hints() == std::pair{Hints::proof, Hints::proof});
    text.insert(text.find("  tiers:"), "  hints: facts\n");
    CHECK(hints() == std::pair{Hints::facts, Hints::facts});
    text.insert(text.find("    limits: {wall: 5"), "    hints: verdict\n");
    CHECK(hints() == std::pair{Hints::verdict, Hints::facts});
    text.replace(text.find("hints: facts"), 12, "hints: cause");
    CHECK(hints().second == Hints::cause);
    text.replace(text.find("hints: verdict"), 14, "hints: nothing");
    const auto wrong = load_policy(folder.write("grading.yaml", text), specs());
    REQUIRE_FALSE(wrong);
    CHECK(wrong.error().key == "assignments.blur.hints");
}

TEST_CASE("a policy may ask for a leaderboard, with names beside the policy") {
    const Temporary folder;
    const auto without = load_policy(folder.write("grading.yaml", good), specs());
    REQUIRE(without.ok());
    CHECK_FALSE(without->leaderboard.has_value());
    const auto file = folder.write(
        "grading.yaml",
        good + "leaderboard: {names: names.csv, anonymous: true, tasks: [blur/columns]}\n");
    const auto with = load_policy(file, specs());
    if (!with) FAIL(with.error().text());
    REQUIRE(with->leaderboard.has_value());
    CHECK(with->leaderboard->names == (folder.path() / "names.csv").string());
    CHECK(with->leaderboard->anonymous);
    CHECK(with->leaderboard->tasks == std::vector<LeaderboardPolicy::Task>{{"blur", "columns"}});
    // A broken assignment was left out, so nobody knows its tasks.
    const auto broken =
        load_policy(folder.write("grading.yaml", good + "leaderboard: {names: n, tasks: [x/y]}\n"),
                    specs(), {{.id = "x", .why = {}}});
    CHECK(broken.ok());
}

TEST_CASE("what technique and speed require is inherited, and `passed` where nobody says it") {
    const Temporary folder;
    const auto require = [&](std::string_view instead) {
        std::string text = good;
        const std::string_view line = "  hidden_weight: 2\n";
        text.replace(text.find(line), line.size(), std::string(line) + std::string(instead));
        const auto policy = load_policy(folder.write("grading.yaml", text), specs());
        if (!policy) FAIL(policy.error().text());
        return policy->assignments.at("blur").tasks.at("rows").require;
    };
    CHECK(require("") == Require::passed);
    CHECK(require("  require: passed\n") == Require::passed);
    CHECK(require("  require: all\n") == Require::all);
}

TEST_CASE("what is forbidden adds up from the defaults to the tasks") {
    const Temporary folder;
    std::string text = replaced(good, "  hidden_weight: 2\n",
                                "  hidden_weight: 2\n  forbid: {includes: [\"cub/*\"]}\n");
    text = replaced(
        text, "  blur:\n",
        "  blur:\n    forbid:\n      - {calls: [\"cub::*\", atomicAdd], message: by hand}\n"
        "      - {calls: [\"atomicAdd(double*, double)\"]}\n");
    text = replaced(text, "keys: {correctness: 100}",
                    "keys: {correctness: 100, forbid: {calls: [\"thrust::sort\"]}}");
    const auto policy = load_policy(folder.write("grading.yaml", text), specs());
    if (!policy) FAIL(policy.error().text());
    const auto& blur = policy->assignments.at("blur").forbidden;
    REQUIRE(blur.size() == 3);
    CHECK(blur[0].includes == std::vector<std::string>{"cub/*"});
    CHECK(blur[1].calls == std::vector<std::string>{"cub::*", "atomicAdd"});
    CHECK(blur[1].message == "by hand");
    CHECK(blur[2].calls == std::vector<std::string>{"atomicAdd(double*, double)"});
    CHECK(blur[2].task.empty());
    const auto& sort = policy->assignments.at("sort").forbidden;
    REQUIRE(sort.size() == 2);
    CHECK(sort[1].task == "keys");
}

TEST_CASE("what the policy does not name is not graded") {
    const Temporary folder;
    const auto less = replaced(
        replaced(good, "      columns: {correctness: 20, performance: 10, hidden_weight: 3}\n", ""),
        "  sort:\n    tasks:\n      keys: {correctness: 100}\n", "");
    const auto policy = load_policy(folder.write("grading.yaml", less), specs());
    if (!policy) FAIL(policy.error().text());
    CHECK(policy->assignments.size() == 1);
    CHECK(policy->assignments.at("blur").tasks.size() == 1);

    auto graded = specs();
    std::vector<LeftOut> left_out;
    leave_out_ungraded(*policy, graded, left_out);
    REQUIRE(graded.size() == 1);
    CHECK(graded[0].id == "blur");
    REQUIRE(graded[0].tasks.size() == 1);
    CHECK(graded[0].tasks[0].name == "rows");
    CHECK(graded[0].ungraded_tasks == std::vector<std::string>{"columns"});
    REQUIRE(left_out.size() == 1);
    CHECK(left_out[0].id == "sort");
    CHECK_FALSE(left_out[0].is_broken());
    CHECK(left_out[0].why.message == "the policy does not grade `sort`");
    CHECK(left_out[0].why.remedy.find("`sort: {tasks: {keys: {correctness: 70") !=
          std::string::npos);

    const auto nothing =
        load_policy(folder.write("grading.yaml",
                                 good.substr(0, good.find("assignments:")) + "assignments: {}\n"),
                    specs());
    REQUIRE_FALSE(nothing);
    CHECK(nothing.error().message == "no assignment is graded");
}

TEST_CASE("what the policy says of a broken assignment is not checked, and a typo is") {
    const Temporary folder;
    const std::vector<LeftOut> broken{
        {.id = "sharpen", .why = {.kind = ErrorKind::configuration, .message = "broken"}}};
    const auto with = [&](const std::string& id) {
        const auto text = good + "  " + id + ":\n    tasks: {all: {correctness: 1}}\n";
        return load_policy(folder.write("grading.yaml", text), specs(), broken);
    };
    const auto policy = with("sharpen");
    if (!policy) FAIL(policy.error().text());
    CHECK_FALSE(policy->assignments.contains("sharpen"));
    const auto typo = with("sharpne");
    REQUIRE_FALSE(typo);
    CHECK(typo.error().message == "unknown key `sharpne`; did you mean `sharpen`?");
}

TEST_CASE("points for performance need tiers from somewhere") {
    const Temporary folder;
    const auto none =
        replaced(good, "  tiers: [{speedup: 1.5, credit: 0.25}, {speedup: 3, credit: 1}]\n", "");
    const auto load = [&](const std::string& text) {
        return load_policy(folder.write("grading.yaml", text), specs());
    };
    expect_error(none,
                 {"performance: 10,", "performance: @10,", "",
                  "assignments.blur.tasks.columns.performance", "need tiers"},
                 (folder.path() / "grading.yaml").string(), load);
    CHECK(load(replaced(none, "  blur:\n", "  blur:\n    tiers: [{speedup: 2, credit: 1}]\n")));
}

TEST_CASE(
    "the repository's own policy fits its assignments, 70 points without a GPU and 30 with one") {
    const std::filesystem::path source = CUGRADE_SOURCE_DIR;
    const auto assignments = load_assignments(source / "assignments");
    if (!assignments) FAIL(assignments.error().text());
    const auto policy = load_policy(source / "grading.yaml", *assignments);
    if (!policy) FAIL(policy.error().text());
    for (const auto& [id, assignment] : policy->assignments) {
        INFO(id);
        double correctness = 0, performance = 0;
        for (const auto& [name, t] : assignment.tasks) {
            correctness += t.correctness + t.technique;
            performance += t.performance;
        }
        CHECK(std::abs(correctness - 70) < 1e-9);
        CHECK(std::abs(performance - 30) < 1e-9);
    }
}

TEST_CASE("limits of technique are read in the order of the counters") {
    const Temporary folder;
    const auto policy = load_policy(
        folder.write("grading.yaml",
                     replaced(good, "correctness: 100",
                              "correctness: 100, technique: {points: 2.5, limits: "
                              "{divergent_branches: {max: 0.1}, global_atomics_per_element: "
                              "{max: 0.05}}}")),
        specs());
    if (!policy) FAIL(policy.error().text());
    const TaskPolicy& keys = policy->assignments.at("sort").tasks.at("keys");
    CHECK(keys.technique == 2.5);
    CHECK(keys.points() == 102.5);
    REQUIRE(keys.limits.size() == 2);
    CHECK(keys.limits[0].metric == "global_atomics_per_element");
    CHECK(keys.limits[0].max == 0.05);
    CHECK(keys.limits[1].metric == "divergent_branches");
}

// What of an assignment reaches students.
#include "config/release.hpp"

#include "catch.hpp"
#include "config/load.hpp"
#include "temporary.hpp"

using namespace cugrade;
using namespace cugrade::config;
namespace fs = std::filesystem;

namespace {

const std::string yaml = R"(# The hidden case 4242 is the trap.
schema_version: 1
id: blur
title: "1"
tasks:
  - name: rows
    title: Blur of rows
    function: blur_rows
    arguments:
      - {name: in, type: f32, role: input, shape: [n]}
      - {name: n, type: u64, role: scalar}
      - {name: out, type: f32, role: output, shape: [n]}
    cases:
      - {n: [1, 2], in: {generator: uniform, low: -1, high: 1}}
      # 4242 again
      - {n: [4242, 4243, 4244], in: {generator: constant, value: 77.25}, visibility: hidden}
      - {n: 640, in: {file: secret.npy}, visibility: hidden}
      - {n: 3, in: {file: open.npy}}
      - {n: 100, in: {generator: constant, value: -0.0}, needs: gpu, timed: true}
    model:
      - {n: [10, 20], in: {generator: constant, value: 1}}
)";

const std::string policy = R"(schema_version: 1
defaults:
  hidden_weight: 1
  limits: {compile_wall: 60, wall: 20, cpu: 20, total: 600, memory: 2GiB, processes: 64, file: 64MiB, output: 1MiB, instructions: 50000000, device_memory: 2GiB}
# A comment about sharpen.
assignments:
  sharpen: {tasks: {rows: {correctness: 31}}}
  blur: {tasks: {rows: {correctness: 70, performance: 30, tiers: [{speedup: 4, credit: 1}]}}}
)";

struct Folder {
    Temporary root;
    fs::path path = root.path() / "blur";
    explicit Folder(const std::string& text = yaml) {
        root.write("blur/assignment.yaml", text);
        root.write("blur/open.npy", "");
        root.write("blur/secret.npy", "");
    }
};

std::string with(std::string text, std::string_view from, std::string_view to) {
    const auto at = text.find(from);
    REQUIRE(at != std::string::npos);
    return text.replace(at, from.size(), to);
}

}  // namespace

TEST_CASE("a released assignment lacks hidden cases, and the others keep their numbers") {
    const Folder folder;
    const auto released = public_assignment(folder.path);
    REQUIRE(released);
    CHECK(released->public_cases == 4);
    CHECK(released->withheld == 4);
    CHECK(released->files == std::vector<std::string>{"open.npy"});
    for (const char* secret : {"4242", "4243", "77.25", "secret.npy", "hidden case", "trap"})
        CHECK(released->yaml.find(secret) == std::string::npos);

    const Folder again(released->yaml);
    const auto spec = load_assignment(again.path);
    REQUIRE(spec);
    CHECK(spec->title == "1");  // still a text
    const TaskSpec& task = spec->tasks.at(0);
    CHECK(task.withheld == 4);
    std::vector<int> ids;
    for (const CaseSpec& one : task.cases) ids.push_back(one.id);
    CHECK(ids == std::vector<int>{1, 2, 7, 8});
    CHECK(task.timed_case()->id == 8);
    CHECK(std::signbit(task.timed_case()->data.at("in").numbers.at("value")));
    CHECK(task.model.at(0).id == 9);

    // Releasing what was released changes nothing.
    const auto twice = public_assignment(again.path);
    REQUIRE(twice);
    CHECK(twice->yaml == released->yaml);
    CHECK(twice->withheld == 0);
}

TEST_CASE("what nobody has declared public is not released") {
    const Folder timed(with(yaml, "timed: true", "timed: true, visibility: hidden"));
    const auto hidden = public_assignment(timed.path);
    REQUIRE_FALSE(hidden);
    CHECK(hidden.error().message.find("the timed case of rows is hidden") != std::string::npos);
    CHECK(hidden.error().file == (timed.path / "assignment.yaml").string());
}

TEST_CASE("a place of hidden cases has a number and nothing else") {
    const Folder both(with(yaml, "{n: 3,", "{withheld: 2, n: 3,"));
    CHECK_FALSE(load_assignment(both.path));
    const Folder none(with(yaml, "{n: 3, in: {file: open.npy}}", "{withheld: 0}"));
    CHECK_FALSE(load_assignment(none.path));
}

TEST_CASE("a released policy is about one assignment") {
    const Temporary root;
    const auto file = root.write("grading.yaml", policy);
    const auto text = public_policy(file, "blur");
    REQUIRE(text);
    CHECK(text->find("sharpen") == std::string::npos);
    const Folder folder;
    const auto spec = load_assignment(folder.path);
    REQUIRE(spec);
    const auto read = load_policy(root.write("released.yaml", *text), {*spec});
    REQUIRE(read);
    CHECK(read->assignments.at("blur").tasks.at("rows").performance == 30);
    const auto other = public_policy(file, "crop");
    REQUIRE_FALSE(other);
    CHECK(other.error().file == file.string());
    CHECK(other.error().message.find("`crop`") != std::string::npos);
}

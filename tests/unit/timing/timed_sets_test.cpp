#include "timing/timed_sets.hpp"

#include <bit>

#include "config/load.hpp"
#include "gpu/device/sets.hpp"

#include "catch.hpp"

using namespace cugrade;

namespace {

AssignmentSpec load(const std::string& id) {
    auto loaded = config::load_assignment(std::string(CUGRADE_SOURCE_DIR) + "/assignments/" + id);
    REQUIRE(loaded.ok());
    return *loaded;
}

/// reduction/sum of 100 numbers.
struct Sum {
    AssignmentSpec assignment = load("reduction");
    TaskSpec task = assignment.tasks.front();
    CaseSpec spec{.id = 1, .params = {{"n", 100}}};
    CaseData data;

    explicit Sum(DataSpec in) {
        REQUIRE(task.name == "sum");
        spec.data["in"] = std::move(in);
        auto made = make_case(assignment, task, spec, {});
        REQUIRE(made.ok());
        data = *made;
    }
    /// Of what a call left that wrote `sum`.
    [[nodiscard]] CallOutcome judge(double sum) const {
        TimedSet left{.round = 5, .set = 3, .call = 2, .poison = 7, .outputs = {}};
        left.outputs["out"] = data["out"];
        left.outputs["out"].as<double>()[0] = sum;
        auto judged = judge_set(assignment, data, left);
        REQUIRE(judged.ok());
        return *judged;
    }
};

}  // namespace

TEST_CASE("inputs with the same first dimension are columns of one table") {
    const auto assignment = load("patterns");
    const auto task = std::ranges::find(assignment.tasks, "gather", &TaskSpec::name);
    REQUIRE(task != assignment.tasks.end());
    CaseSpec spec{.id = 1, .params = {{"m", 10}, {"n", 20}}};
    spec.data["value"] = {.generator = "constant", .numbers = {{"value", 1}}, .file = {}};
    spec.data["neighbour"] = {.generator = "constant", .numbers = {{"value", 0}}, .file = {}};
    const auto data = make_case(assignment, *task, spec, {});
    REQUIRE(data.ok());
    const auto columns = table_columns(*task, *data);
    REQUIRE(columns.size() == 3);
    for (const TableColumn& column : columns) {
        INFO(column.spec->name);
        CHECK(column.data == &(*data)[column.spec->name]);
        if (column.spec->role == Role::output) {
            CHECK(column.rows == 0);
        } else if (column.spec->name == "value") {
            CHECK(column.rows == 10);
            CHECK(column.row_bytes == column.data->bytes.size() / 10);
        } else {
            CHECK(column.rows == 20);
        }
    }
    CHECK(columns[0].table != columns[1].table);
}

TEST_CASE("a set of constant data has the answer that the case has") {
    const Sum sum({.generator = "constant", .numbers = {{"value", 2}}, .file = {}});
    CHECK(sum.judge(200).verdict == Verdict::accepted);
    const auto wrong = sum.judge(201);
    CHECK(wrong.verdict == Verdict::wrong_answer);
    CHECK(wrong.message == "1 of 1 elements are wrong");  // and nothing of the data
}

TEST_CASE("what a call did not write is known by what was there before") {
    const Sum sum({.generator = "constant", .numbers = {{"value", 2}}, .file = {}});
    const std::uint64_t from = device::Blocks::of(sizeof(double), 9).offset(2);
    const auto before = std::bit_cast<double>(device::poison_word(7, from / 8));
    CHECK(sum.judge(before).verdict == Verdict::unwritten_output);
}

TEST_CASE("a set has other data than the case") {
    const Sum sum({.generator = "uniform", .numbers = {{"low", 1}, {"high", 1000}}, .file = {}});
    double of_the_case = 0;
    for (const double value : sum.data["in"].as<double>()) of_the_case += value;
    CHECK(sum.judge(of_the_case).verdict == Verdict::wrong_answer);
}

#include "config/load.hpp"
#include "expect_error.hpp"
#include "temporary.hpp"

using namespace cugrade;
using namespace cugrade::config;

namespace {

const std::string good = R"(schema_version: 1
id: blur
title: Blur
forbidden: [{instruction: atom.add.f64, message: "build it yourself"}]
tasks:
  - name: rows
    title: Blur of rows
    function: blur_rows
    arguments:
      - {name: in, type: f32, role: input, shape: [h, w, 3]}
      - {name: mask, type: u8, role: input, shape: [m]}
      - {name: h, type: u64, role: scalar}
      - {name: ghost, type: i32, role: scalar}
      - {name: scale, type: f32, role: scalar}
      - {name: acc, type: f64, role: inout, shape: [1]}
      - {name: out, type: f32, role: output, shape: [h, w, 3]}
    cases:
      - {w: [1, 2], h: [3, 4, 5], m: 9, ghost: -1, scale: 0.5, in: {generator: uniform, low: -1, high: 1}, mask: {file: mask.bin}, acc: {generator: constant, value: 0}}
      - w: 1000
        h: 0
        m: 1
        ghost: 2
        scale: 1
        in: {generator: constant, value: 2}
        mask: {generator: zipf, low: 0, high: 255, exponent: 1.2}
        acc: {generator: constant, value: 0}
        visibility: hidden
        needs: gpu
        timed: true
)";

struct Fixture {
    Temporary root;
    Fixture() { root.write("blur/mask.bin", "mask"); }

    Result<AssignmentSpec> load(const std::string& text) const {
        root.write("blur/assignment.yaml", text);
        return load_assignment(root.path() / "blur");
    }
    void expect(const std::string& text, const BadRow& row) const {
        expect_error(text, row, (root.path() / "blur/assignment.yaml").string(),
                     [&](const std::string& changed) { return load(changed); });
    }
};

}  // namespace

TEST_CASE_METHOD(Fixture, "the cases of the model are smaller versions of the timed one") {
    const std::string first =
        "{h: 10, w: 10, m: 1, ghost: 2, scale: 1, in: {generator: constant, value: 2}, "
        "mask: {generator: zipf, low: 0, high: 255, exponent: 1.2}, "
        "acc: {generator: constant, value: 0}";
    std::string timed = good;
    timed.replace(timed.find("h: 0\n"), 5, "h: 50\n");
    const auto with = [&](const std::string& second) {
        return timed + "    model:\n      - " + first + "}\n      - " + second;
    };
    const auto of_height = [&](const std::string& h) {
        std::string text = first;
        return text.replace(text.find("h: 10"), 5, "h: " + h);
    };
    const auto result = load(with(of_height("20") + "}\n"));
    if (!result) FAIL(result.error().text());
    const TaskSpec& task = result->tasks[0];
    REQUIRE(task.model.size() == 2);
    CHECK(largest_argument(task, task.model[0]) == 300);
    CHECK(largest_argument(task, task.model[1]) == 600);
    CHECK(task.model[0].id == static_cast<int>(task.cases.size()) + 1);
    const auto refused = [&](const std::string& text) {
        const auto bad = load(text);
        REQUIRE_FALSE(bad.ok());
        CHECK(bad.error().line > 0);
        return bad.error().message;
    };
    const std::string two = "a model needs two cases that are smaller than the timed one";
    CHECK(refused(timed + "    model: [" + first + "}]\n") == two);
    CHECK(refused(with(first + "}\n")) == two);
    CHECK(refused(with(of_height("2000000") + "}\n")) == two);
    CHECK(refused(with(of_height("20") + ", needs: gpu}\n")) ==
          "a case for the model is public and needs no GPU");
    std::string untimed = timed;
    untimed.replace(untimed.find("        timed: true\n"), 20, "");
    CHECK(refused(untimed + "    model: [" + first + "}]\n") == "there is no timed case to model");
}

TEST_CASE_METHOD(Fixture, "what a call has to move is all buffers or those that are named") {
    const auto moved = [&](const std::string& text) {
        const auto result = load(text);
        if (!result) FAIL(result.error().text());
        return result->tasks[0].moves;
    };
    CHECK(moved(good) == std::vector<std::string>{"in", "mask", "acc", "out"});
    CHECK(moved(good + "    moves: [out, in]\n") == std::vector<std::string>{"out", "in"});
    expect(good + "    moves: [in]\n",
           {"moves: [in]", "moves: [@ghost]", "", "tasks[0].moves[0]", "no buffer of this task"});
}

TEST_CASE_METHOD(Fixture, "an assignment is read in full") {
    const auto result = load(good);
    if (!result) FAIL(result.error().text());
    const auto& spec = *result;
    CHECK(spec.id == "blur");
    CHECK(spec.title == "Blur");
    REQUIRE(spec.forbidden.size() == 1);
    CHECK(spec.forbidden[0].opcode == "atom");
    CHECK(spec.forbidden[0].modifiers == std::vector<std::string>{"add", "f64"});
    CHECK(spec.forbidden[0].message == "build it yourself");
    REQUIRE(spec.tasks.size() == 1);
    const auto& task = spec.tasks[0];
    CHECK(task.function == "blur_rows");
    REQUIRE(task.arguments.size() == 7);
    CHECK(task.arguments[0].shape == std::vector<std::string>{"h", "w", "3"});
    CHECK(task.arguments[0].dtype == DType::f32);
    CHECK(task.arguments[3].role == Role::scalar);
    CHECK(task.arguments[5].role == Role::inout);

    REQUIRE(task.cases.size() == 7);
    std::vector<std::pair<double, double>> sizes;
    for (std::size_t i = 0; i < 6; ++i) {
        const auto& c = task.cases[i];
        CHECK(c.id == static_cast<int>(i) + 1);
        CHECK(c.visibility == Visibility::open);
        CHECK_FALSE(c.needs_gpu);
        CHECK(c.params.at("ghost") == -1);
        CHECK(c.params.at("scale") == 0.5);
        CHECK(c.data.at("mask").generator == "file");
        CHECK(c.data.at("mask").file == "mask.bin");
        CHECK(c.data.at("in").numbers.at("low") == -1);
        sizes.emplace_back(c.params.at("w"), c.params.at("h"));
    }
    CHECK(sizes ==
          std::vector<std::pair<double, double>>{{1, 3}, {1, 4}, {1, 5}, {2, 3}, {2, 4}, {2, 5}});
    const auto& last = task.cases[6];
    CHECK(last.id == 7);
    CHECK(last.visibility == Visibility::hidden);
    CHECK(last.needs_gpu);
    CHECK(last.timed);
    CHECK(last.data.at("mask").numbers.at("exponent") == 1.2);
}

TEST_CASE_METHOD(Fixture, "every mistake in an assignment is told with its place") {
    std::string many;  // 334 times 3 values of h
    for (int i = 0; i < 333; ++i) many += ", 1";
    const std::vector<BadRow> rows{
        // the top
        {"schema_version: 1\n", "", "id: blur", "", "add `schema_version:`"},
        {"schema_version: 1", "schema_version: @2", "", "schema_version", "version 2"},
        {"schema_version: 1", "schema_version: @one", "", "schema_version", "whole number"},
        {"id: blur", "id: @blurr", "", "id", "folder's name `blur`"},
        {"id: blur", "id: @7", "", "id", "a text is expected"},
        {"title: Blur\n", "@titel: Blur\n", "", "titel", "did you mean `title`?"},
        {"title: Blur\n", "@title:\n", "", "title", "a text is expected here, not nothing"},
        {"title: Blur\n", "title: Blur\n@title: Blur\n", "", "title",
         "given twice, first in line 3"},
        {"title: Blur\n", "title: @!x Blur\n", "", "title", "tag"},
        {"instruction: atom.add.f64", "instruction: @atom..f64", "", "forbidden[0].instruction",
         "not an instruction"},
        {"atom.add.f64", "@ATOM", "", "forbidden[0].instruction", "lower case"},
        {", message: \"build it yourself\"", "", "{instruction: atom.add.f", "forbidden[0]",
         "`message` is missing"},
        // the task
        {"name: rows", "name: @row-s", "", "tasks[0].name", "not a name"},
        {"function: blur_rows", "function: @[blur]", "", "tasks[0].function",
         "a text is expected here, not a list"},
        {"    arguments:\n", "    @argument:\n", "", "tasks[0].argument",
         "did you mean `arguments`?"},
        // arguments
        {"type: f32, role: input", "type: @f16, role: input", "", "tasks[0].arguments[0].type",
         "`f16` is not known here"},
        {"role: input, shape: [h", "role: @imput, shape: [h", "", "tasks[0].arguments[0].role",
         "did you mean `input`?"},
        {"shape: [m]", "shape: @[]", "", "tasks[0].arguments[1].shape", "empty"},
        {"shape: [m]", "shape: @m", "", "tasks[0].arguments[1].shape", "a list is expected"},
        {"shape: [m]", "shape: [@0]", "", "tasks[0].arguments[1].shape[0]", "out of range"},
        {"shape: [m]", "shape: [in]", "{name: mask, type: u8, r", "tasks[0].arguments[1]",
         "is a buffer, not a number"},
        {"shape: [m]", "shape: [@timed]", "", "tasks[0].arguments[1].shape[0]", "another name"},
        {"role: scalar}", "role: scalar, shape: @[1]}", "", "tasks[0].arguments[2].shape",
         "no shape"},
        {"name: h,", "name: in,", "{name: in, type: u64, ro", "tasks[0].arguments[2]",
         "two arguments are called `in`"},
        {"name: acc", "name: @needs", "", "tasks[0].arguments[5].name", "meaning of its own"},
        // cases
        {"w: [1, 2]", "@x: 0, w: [1, 2]", "", "tasks[0].cases[0].x", "unknown key `x`"},
        {"w: [1, 2], ", "", "{h: [3, 4, 5], m: 9, gho", "tasks[0].cases[0]", "`w` is missing"},
        {"acc: {generator: constant, value: 0}}", "}", "{w: [1, 2], h: [3, 4, 5]",
         "tasks[0].cases[0]", "`acc` is missing"},
        {"w: [1, 2]", "w: [1, @two]", "", "tasks[0].cases[0].w[1]", "whole number"},
        {"w: [1, 2]", "w: [1, @-2]", "", "tasks[0].cases[0].w[1]", "out of range"},
        {"w: [1, 2]", "w: [1, @2.5]", "", "tasks[0].cases[0].w[1]", "not a whole number"},
        {"w: [1, 2]", "w: @\"1\"", "", "tasks[0].cases[0].w", "without quotes"},
        {"w: [1, 2]", "w: @[]", "", "tasks[0].cases[0].w", "empty"},
        {"w: [1, 2]", "w: @.nan", "", "tasks[0].cases[0].w", "not a finite number"},
        {"w: [1, 2]", "w: @1e999", "", "tasks[0].cases[0].w", "not a finite number"},
        {"w: [1, 2]", "w: @9007199254740993", "", "tasks[0].cases[0].w", "out of range"},
        {"w: [1, 2]", "w: 9000000000000000", "{w: 9000000000000000, h:", "tasks[0].cases[0]",
         "64 GiB"},
        {"w: [1, 2]", "w: [1" + many + "]", "{w: [1, 1", "tasks[0].cases[0]", "1000 cases"},
        {"ghost: -1", "ghost: @2147483648", "", "tasks[0].cases[0].ghost", "out of range"},
        {"scale: 0.5", "scale: @1e39", "", "tasks[0].cases[0].scale", "out of range"},
        {"scale: 0.5", "scale: @-.inf", "", "tasks[0].cases[0].scale", "not a finite number"},
        {"generator: uniform", "generator: @unifrom", "", "tasks[0].cases[0].in.generator",
         "unifrom"},
        {"low: -1, high: 1", "low: @1, high: -1", "", "tasks[0].cases[0].in.low", "low"},
        {"low: -1, high: 1", "low: -1, high: @yes", "", "tasks[0].cases[0].in.high",
         "a number is expected"},
        {"low: -1, high: 1", "low: -1",
         "uniform, low: -1}, mask:", "tasks[0].cases[0].in.generator", "high"},
        {"mask: {file: mask.bin}", "mask: {file: @none.bin}", "", "tasks[0].cases[0].mask.file",
         "there is no file"},
        {"mask: {file: mask.bin}", "mask: {file: @../x}", "", "tasks[0].cases[0].mask.file",
         "outside"},
        {"mask: {file: mask.bin}", "mask: {file: mask.bin, @low: 1}", "",
         "tasks[0].cases[0].mask.low", "unknown key"},
        {"mask: {file: mask.bin}", "mask: @3", "", "tasks[0].cases[0].mask",
         "a map of keys and values"},
        {"visibility: hidden", "visibility: @secret", "", "tasks[0].cases[1].visibility",
         "public, hidden"},
        {"needs: gpu", "needs: @cpu", "", "tasks[0].cases[1].needs", "`cpu` is not known here"},
        {"        needs: gpu\n", "", "true", "tasks[0].cases[1].timed", "needs a GPU"},
        {"timed: true", "timed: @yes", "", "tasks[0].cases[1].timed", "true or false"},
        {"w: 1000", "@w: [1000, 2000]", "", "tasks[0].cases[1]", "one timed case at most"},
    };
    for (const auto& row : rows) expect(good, row);
}

TEST_CASE_METHOD(Fixture, "a task needs an output, and a case that is not timed") {
    expect(replaced(good, "role: inout", "role: input"),
           {"role: output, shape", "role: input, shape", "- {name: in,", "tasks[0].arguments",
            "nothing can be checked"});
    const auto begin = good.find("      - {w: [1, 2]");
    const auto first_case = good.substr(begin, good.find('\n', begin) + 1 - begin);
    expect(good, {first_case, "", "- w: 1000", "tasks[0].cases", "add a case without `timed`"});
}

TEST_CASE_METHOD(Fixture, "two tasks share neither name nor function") {
    const auto task = good.substr(good.find("  - name: rows") + 4);
    const auto other = replaced(task, "function: blur_rows", "function: blur_other");
    expect(good + "  - name: x\n" + other.substr(other.find('\n') + 1),
           {"name: x", "@name: rows", "", "tasks[1]", "two tasks are called `rows`"});
    expect(good + "  - " + replaced(other, "name: rows", "name: columns"),
           {"name: columns\n    title: Blur of rows\n    function: blur_other",
            "@name: columns\n    title: Blur of rows\n    function: blur_rows", "", "tasks[1]",
            "the function `blur_rows`"});
}

TEST_CASE_METHOD(Fixture, "all assignments below a folder are read, by id") {
    REQUIRE(load(good));
    root.write("anneal/assignment.yaml",
               replaced(replaced(good, "id: blur", "id: anneal"), "{file: mask.bin}",
                        "{generator: constant, value: 1}"));
    root.write("notes/README.md", "not an assignment");
    const auto all = load_assignments(root.path());
    if (!all) FAIL(all.error().text());
    REQUIRE(all->size() == 2);
    CHECK((*all)[0].id == "anneal");
    CHECK((*all)[1].id == "blur");

    // One that is wrong leaves the others, where the caller asks for that.
    root.write("crop/assignment.yaml", replaced(good, "id: blur", "idd: crop"));
    CHECK_FALSE(load_assignments(root.path()));
    std::vector<LeftOut> left_out;
    const auto others = load_assignments(root.path(), &left_out);
    if (!others) FAIL(others.error().text());
    CHECK(others->size() == 2);
    REQUIRE(left_out.size() == 1);
    CHECK(left_out[0].id == "crop");
    CHECK(left_out[0].is_broken());
    CHECK(left_out[0].why.file == (root.path() / "crop/assignment.yaml").string());
    CHECK(left_out[0].why.line > 0);

    // A trailing slash names the same folder.
    CHECK(load_assignment(root.path() / "blur/"));

    const Temporary empty;
    CHECK_FALSE(load_assignments(empty.path()));
    CHECK_FALSE(load_assignments(empty.path() / "missing"));
    const Temporary wrong;
    wrong.write("crop/assignment.yaml", "id: crop\n");
    std::vector<LeftOut> all_of_them;
    CHECK_FALSE(load_assignments(wrong.path(), &all_of_them));
    const auto missing = load_assignment(empty.path());
    REQUIRE_FALSE(missing);
    CHECK(missing.error().file == (empty.path() / "assignment.yaml").string());
}

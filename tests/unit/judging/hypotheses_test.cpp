#include "judging/hypotheses.hpp"

#include "catch.hpp"
#include "judging/reorder.hpp"

using namespace cugrade;
using emulator::Intervention;
using Kind = emulator::InterventionKind;

namespace {

TaskOutcome failing(const std::string& suggested, Verdict verdict = Verdict::wrong_answer) {
    TaskOutcome outcome;
    for (int id = 1; id <= 3; ++id) {
        CaseOutcome one;
        one.id = id;
        one.verdict = verdict;
        one.suggested_cause = suggested;
        outcome.cases.push_back(one);
    }
    return outcome;
}

Intervention at(Kind kind, int line, std::int64_t value = 1) {
    return {.kind = kind,
            .function = "k",
            .instruction = static_cast<std::uint32_t>(line),
            .value = value,
            .place = {"student.cu", line, 1},
            .text = "`a` to `b`"};
}

}  // namespace

TEST_CASE("what patterns suggest is tried first") {
    const std::vector<Intervention> possible{at(Kind::stride, 3), at(Kind::unclamped, 4, 255),
                                             at(Kind::widened_sign, 5)};
    const auto first = [&](const std::string& suggested) {
        const TaskOutcome outcome = failing(suggested);
        return hypotheses(Symptoms(outcome), possible).front().cause;
    };
    CHECK(first("saturated").id == "saturated");
    CHECK(first("saturated").location.line == 4);
    // Lost bits do not tell how they are lost.
    CHECK(first("integer_overflow").id == "sign_lost");
    CHECK(first("").id == "uninitialised_output");
}

TEST_CASE("one first value in several places is one hypothesis, before each by itself") {
    const std::vector<Intervention> possible{at(Kind::identity, 3), at(Kind::identity, 9)};
    const TaskOutcome outcome = failing("wrong_identity");
    const auto all = hypotheses(Symptoms(outcome), possible);
    std::vector<std::size_t> sizes;
    for (const Hypothesis& one : all)
        if (one.cause.id == "wrong_identity") sizes.push_back(one.change.interventions.size());
    std::ranges::sort(sizes);
    CHECK(sizes == std::vector<std::size_t>{1, 1, 2});
}

TEST_CASE("a kernel that steps by the whole grid is right with any grid") {
    Intervention step = at(Kind::stride, 3, -1);
    step.text = "the step of the loop to that of one block";
    Intervention other = at(Kind::stride, 3, 1);
    other.function = "other";
    const std::vector<Intervention> possible{step, other};
    CHECK(right_with_any_grid(possible) == std::set<std::string>{"k"});
}

TEST_CASE("inputs may be read in another order") {
    TaskSpec task;
    task.arguments = {
        {.name = "in", .dtype = DType::f32, .role = Role::input, .shape = {"n"}},
        {.name = "mask", .dtype = DType::f32, .role = Role::input, .shape = {"m", "m"}},
        {.name = "out", .dtype = DType::f32, .role = Role::output, .shape = {"n"}}};
    const TaskOutcome outcome = failing("transposed");
    const auto all = hypotheses_of_order(Symptoms(outcome), task);
    REQUIRE(all.size() == 3);
    CHECK(all[0].cause.id == "wrong_element");
    CHECK(all[1].cause.id == "mask_reversed");
    CHECK(all[2].cause.id == "transposed");
    CHECK(all[2].change.reordered == Reordered{"mask", true});
    CHECK(all[2].rank < all[1].rank);
    const TaskOutcome faulting = failing("", Verdict::out_of_bounds);
    CHECK(hypotheses_of_order(Symptoms(faulting), task).empty());
}

TEST_CASE("elements in another order") {
    Array a(DType::i32, {2, 3});
    for (int i = 0; i < 6; ++i) a.as<std::int32_t>()[static_cast<std::size_t>(i)] = i;
    const auto numbers = [](const Array& array) {
        return std::vector<std::int32_t>(array.as<std::int32_t>().begin(),
                                         array.as<std::int32_t>().end());
    };
    CHECK(numbers(reversed(a)) == std::vector{5, 4, 3, 2, 1, 0});
    CHECK(numbers(transposed(a)) == std::vector{0, 3, 1, 4, 2, 5});
    CHECK(reversed(Array(DType::f64, {0})).bytes.empty());
    const Array line(DType::u8, {4});
    CHECK(transposed(line).bytes == line.bytes);
}

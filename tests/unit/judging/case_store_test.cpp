#include "judging/case_store.hpp"

#include "catch.hpp"
#include "config/load.hpp"
#include "judging/task_runner.hpp"

using namespace cugrade;

namespace {

/// reduction/sum with a small case, a large one, one for a GPU and the timed one, also for
/// that.
struct Sum {
    AssignmentSpec assignment;
    TaskSpec task;
    GradeOptions options;

    Sum() {
        auto loaded =
            config::load_assignment(std::string(CUGRADE_SOURCE_DIR) + "/assignments/reduction");
        REQUIRE(loaded.ok());
        assignment = *loaded;
        task = assignment.tasks.front();
        task.cases.clear();
        for (const int id : {1, 2, 3, 4}) {
            CaseSpec spec{.id = id, .params = {{"n", id == 2 ? 1'000'000 : 100}}};
            spec.data["in"] = {
                .generator = "uniform", .numbers = {{"low", 1}, {"high", 9}}, .file = {}};
            spec.needs_gpu = id > 2;
            spec.timed = id == 4;
            task.cases.push_back(std::move(spec));
        }
    }
};

std::shared_ptr<MadeCase> found(CaseStore& store, const CaseSpec& spec) {
    auto made = store.find(spec);
    REQUIRE(made.ok());
    return *made;
}

}  // namespace

TEST_CASE("case store: a case is made once, with all that follows from its data") {
    Sum sum;
    CaseMemory memory(1 << 20);
    CaseStore store(sum.assignment, sum.task, sum.options, memory);
    const auto first = found(store, sum.task.cases[0]);
    const auto answered = first->answered();
    REQUIRE(answered.ok());
    const auto poison = first->poison();
    REQUIRE(poison.ok());
    const auto again = found(store, sum.task.cases[0]);
    CHECK(again == first);
    // Not even the answer or the poison is made again.
    const void* const answer = (*answered)->expected.front().value.bytes.data();
    const void* const filled = (*poison)->begin()->second.bytes.data();
    CHECK((*again->answered())->expected.front().value.bytes.data() == answer);
    CHECK((*again->poison())->begin()->second.bytes.data() == filled);

    // The same as when each is made alone.
    const auto alone = answered_case(sum.assignment, sum.task, sum.task.cases[0], sum.options);
    REQUIRE(alone.ok());
    CHECK(first->data().seed == alone->data.seed);
    CHECK(first->data()["in"].bytes == alone->data["in"].bytes);
    CHECK((*answered)->verified == alone->verified);
    REQUIRE((*answered)->expected.size() == alone->expected.size());
    for (std::size_t i = 0; i < alone->expected.size(); ++i) {
        CHECK((*answered)->expected[i].value.bytes == alone->expected[i].value.bytes);
        CHECK((*answered)->expected[i].bound == alone->expected[i].bound);
    }
    CHECK(first->sha256() == hash_inputs(alone->data));
    const auto poison_alone = poison_for(sum.task, alone->data);
    REQUIRE(poison_alone.ok());
    REQUIRE((*poison)->size() == poison_alone->size());
    for (const auto& [name, array] : *poison_alone)
        CHECK((*poison)->find(name)->second.bytes == array.bytes);
}

TEST_CASE("case store: a case is prepared if it can be kept until it is asked for") {
    Sum sum;
    constexpr std::uint64_t small_bytes = 3 * (100 * sizeof(double) + sizeof(double));
    CaseMemory memory(small_bytes);
    CaseStore store(sum.assignment, sum.task, sum.options, memory);
    CHECK_FALSE(store.prepare(sum.task.cases[1]));  // too large
    CHECK_FALSE(store.bytes_of(sum.task.cases[1]));
    CHECK_FALSE(store.prepare(sum.task.cases[2]));  // run once
    CHECK_FALSE(store.bytes_of(sum.task.cases[2]));
    CHECK(memory.take(small_bytes));  // a refusal leaves the memory free
    CHECK_FALSE(store.prepare(sum.task.cases[0]));
    memory.give_back(small_bytes);
    CHECK(store.prepare(sum.task.cases[0]));
    CHECK(store.bytes_of(sum.task.cases[0]) == small_bytes / 3);
    CHECK_FALSE(memory.take(1));
    CHECK(found(store, sum.task.cases[0]) == found(store, sum.task.cases[0]));
}

TEST_CASE("case store: what memory has no room for is made anew, and is the same") {
    Sum sum;
    CaseMemory memory(100'000);
    CaseStore store(sum.assignment, sum.task, sum.options, memory);
    const CaseSpec& large = sum.task.cases[1];
    CHECK_FALSE(store.bytes_of(large));
    const auto first = found(store, large), second = found(store, large);
    CHECK(first != second);
    CHECK(first->sha256() == second->sha256());
    CHECK(store.bytes_of(large) == total_bytes(first->data()));
    CHECK(found(store, sum.task.cases[0]) == found(store, sum.task.cases[0]));
}

TEST_CASE("case store: of what needs a GPU only the timed case is kept") {
    Sum sum;
    CaseMemory memory(1 << 20);
    CaseStore store(sum.assignment, sum.task, sum.options, memory);
    CHECK(found(store, sum.task.cases[2]) != found(store, sum.task.cases[2]));
    CHECK(found(store, sum.task.cases[3]) == found(store, sum.task.cases[3]));
}

TEST_CASE("case store: memory is given back with the grading") {
    Sum sum;
    const auto data = make_case(sum.assignment, sum.task, sum.task.cases[0], sum.options);
    REQUIRE(data.ok());
    const std::uint64_t bytes = 3 * total_bytes(*data);  // with its answer and its poison
    CaseMemory memory(bytes);
    for (int grading = 0; grading < 3; ++grading) {
        CaseStore store(sum.assignment, sum.task, sum.options, memory);
        CHECK(found(store, sum.task.cases[0]) == found(store, sum.task.cases[0]));
        CHECK(found(store, sum.task.cases[3]) != found(store, sum.task.cases[3]));
    }
    CHECK(memory.take(bytes));
    CHECK_FALSE(memory.take(1));
    memory.give_back(1);
    CHECK(memory.take(1));
}

#include "grading/prepared_cases.hpp"

#include <atomic>

#include "catch.hpp"
#include "config/load.hpp"

using namespace cugrade;

TEST_CASE("prepared cases: those that the emulated GPU runs, and then the rest of the work") {
    auto assignment =
        config::load_assignment(std::string(CUGRADE_SOURCE_DIR) + "/assignments/reduction");
    REQUIRE(assignment.ok());
    const GradeOptions options;
    for (const bool models : {false, true}) {
        std::vector<std::unique_ptr<CaseStore>> stores;
        for (const TaskSpec& task : assignment->tasks)
            stores.push_back(std::make_unique<CaseStore>(*assignment, task, options));
        std::atomic<bool> ready{false};
        PreparedCases prepared(stores, models, [&] {
            ready = true;
            ready.notify_all();
        });
        ready.wait(false);
        prepared.stop();
        for (const auto& store : stores) {
            for (const CaseSpec& spec : store->task().cases)
                CHECK(store->bytes_of(spec).has_value() == !spec.needs_gpu);
            for (const CaseSpec& spec : store->task().model)
                CHECK(store->bytes_of(spec).has_value() == models);
        }
    }
}

TEST_CASE("prepared cases: who stops them does without the rest, and its work is done") {
    auto assignment =
        config::load_assignment(std::string(CUGRADE_SOURCE_DIR) + "/assignments/reduction");
    REQUIRE(assignment.ok());
    const GradeOptions options;
    std::vector<std::unique_ptr<CaseStore>> stores;
    for (const TaskSpec& task : assignment->tasks)
        stores.push_back(std::make_unique<CaseStore>(*assignment, task, options));
    bool done = false;
    PreparedCases prepared(stores, true, [&] { done = true; });
    prepared.stop();
    CHECK(done);
    const CaseSpec& first = assignment->tasks.front().cases.front();
    const auto made = stores.front()->find(first);
    REQUIRE(made.ok());
    CHECK((*made)->complete().ok());
}

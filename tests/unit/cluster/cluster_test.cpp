// A run on a cluster with a scheduler that the test plays: who dies, what is forged, what is
// silent.
#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <functional>
#include <set>
#include <stdexcept>
#include <thread>

#include "catch.hpp"
#include "cluster/coordinator.hpp"
#include "cluster/threads.hpp"
#include "cluster/worker.hpp"
#include "core/files.hpp"

using namespace cugrade;
using namespace cugrade::cluster;
namespace fs = std::filesystem;

namespace {

constexpr std::size_t class_size = 4;
const std::string inputs = "submission abc\n";

/// What tests and the scheduler know of each other.
struct World {
    TemporaryFolder folder = *TemporaryFolder::make("test");
    fs::path out = folder.path();
    seal::Key key = seal::Key::of_this_run();
    /// What an array does when it is submitted: the stage and its number among all.
    std::function<void(const Stage&, const Plan&, int)> array;
    std::vector<Task> tasks;  ///< what squeue says
    int silent = 0;           ///< questions that are not answered
    int submitted = 0;
    std::set<std::string> cancelled;  ///< names
    std::set<std::string> names;      ///< of arrays
    std::string said;

    /// Grades all that is free.
    void work(const Stage& stage, const Plan& plan, const std::string& task = "1_0",
              int start = 0) const {
        const auto worked = work_on(stage, plan, {task, start}, 1, [](const PlanItem& item) {
            return text_of({.report = {}, .facts = {}, .problem = "of " + item.student}, inputs);
        });
        if (!worked) throw std::runtime_error(worked.error().text());
    }
};

class Played final : public Scheduler {
public:
    explicit Played(World& world) : world_(world) {}
    std::string_view name() const override { return "Played"; }
    Result<std::string> submit(const ArrayJob& job) const override {
        world_.names.insert(job.name);
        const fs::path run = job.script.parent_path();
        const std::string stage = job.script.stem();
        const auto plan = Plan::read(plan_file(run), world_.key);
        if (!plan) return plan.error();
        world_.array(Stage(run, plan->run, stage, world_.key), *plan, ++world_.submitted);
        return std::to_string(world_.submitted);
    }
    Result<std::vector<Task>> tasks(const std::string&) const override {
        if (world_.silent > 0) {
            --world_.silent;
            return Error{.message = "no answer"};
        }
        return world_.tasks;
    }
    Status cancel(const std::string& name) const override {
        world_.cancelled.insert(name);
        return Done{};
    }
    std::string_view task_words() const override { return "$TASK"; }
    std::string_view start_words() const override { return "$START"; }

private:
    World& world_;
};

struct Batch {
    World& world;
    std::size_t count = class_size;
    std::map<std::size_t, std::vector<std::string>> finished;  ///< problems of each
    bool stop = false;
    std::function<void(std::size_t)> on_finish = [](std::size_t) {};

    void run(bool keep, PlanOptions options = {}, bool builds = false) {
        config::Cluster cluster;
        cluster.grade.tasks = 2;
        if (builds) cluster.build = config::ClusterJobs{.tasks = 2};
        Coordinator coordinator(
            world.out, "/bin/true", cluster, std::make_unique<Played>(world), world.key,
            std::move(options), keep,
            {.item =
                 [](std::size_t i) {
                     return PlanItem{"reduction", fmt::format("s{}", i), fmt::format("/s{}.cu", i)};
                 },
             .expected_s = [](std::size_t i) { return static_cast<double>(i); },
             .objection =
                 [](std::size_t, const std::string& of) {
                     return of == inputs ? std::string() : "it was of something else";
                 },
             .say = [this](const std::string& line) { world.said += line; }},
            {.look = std::chrono::milliseconds(1),
             .ask = std::chrono::milliseconds(2),
             .for_workers = std::chrono::milliseconds(20),
             .for_scheduler = std::chrono::milliseconds(300)});
        std::vector<std::size_t> items(count);
        for (std::size_t i = 0; i < items.size(); ++i) items[i] = i;
        coordinator.run(items, {.finish =
                                    [this](const std::vector<Finished>& some) {
                                        for (const auto& [i, graded] : some) {
                                            finished[i].push_back(graded.problem);
                                            on_finish(i);
                                        }
                                    },
                                .should_stop = [this] { return stop; }});
    }

    void require_all_graded() const {
        REQUIRE(finished.size() == class_size);
        for (const auto& [i, problems] : finished)
            CHECK(problems == std::vector<std::string>{fmt::format("of s{}", i)});
    }
};

}  // namespace

TEST_CASE("threads grade each submission once, and stop when they should") {
    std::mutex mutex;
    std::multiset<std::size_t> done;
    Threads threads(3, [](std::size_t i) { return Graded{.problem = std::to_string(i)}; });
    const auto finish = [&](const std::vector<Finished>& some) {
        const std::lock_guard lock(mutex);
        for (const auto& [i, graded] : some) {
            CHECK(graded.problem == std::to_string(i));
            done.insert(i);
        }
    };
    threads.run({5, 6, 7, 9}, {.finish = finish, .should_stop = [] { return false; }});
    CHECK(done == std::multiset<std::size_t>{5, 6, 7, 9});
    threads.run({1, 2}, {.finish = finish, .should_stop = [] { return true; }});
    CHECK(done.size() == 4);
}

TEST_CASE("a plan and a result come back as they were, and only with the right key and place") {
    World world;
    const Plan plan{.run = "r",
                    .options = {.cugrade = "1",
                                .backend = "emulator",
                                .ptx_arch = 75,
                                .also_build = {90},
                                .tasks = {"sum"},
                                .timing = false,
                                .isolation = "on",
                                .policy = "/p",
                                .secret_file = "/s",
                                .secret_code = "c",
                                .signed_by = "nobody",
                                .emulator_threads = 3,
                                .gpu_arch = 90},
                    .items = {{"reduction", "ada", "/h/\xff.cu"}, {"scan", "bob", "/h/b"}}};
    REQUIRE(plan.write(world.out / "plan", world.key));
    const auto read = Plan::read(world.out / "plan", world.key);
    REQUIRE(read);
    CHECK(read->run == plan.run);
    CHECK(read->options == plan.options);
    CHECK(read->items == plan.items);
    CHECK_FALSE(Plan::read(world.out / "plan", seal::Key::of_this_run()));

    const Stage stage(world.out, "r", grade_stage, world.key);
    REQUIRE(stage.make());
    REQUIRE(stage.leave(
        1,
        text_of({.report = {}, .facts = "f", .problem = "\xff!", .of_the_course = true}, inputs)));
    const auto text = stage.result(1);
    REQUIRE(text);
    const auto outcome = read_outcome(*text);
    REQUIRE(outcome);
    CHECK(outcome->inputs == inputs);
    CHECK(outcome->graded.facts == "f");
    CHECK(outcome->graded.problem == "\xEF\xBF\xBD!");
    CHECK(outcome->graded.of_the_course);
    CHECK_FALSE(outcome->graded.report);
    CHECK_FALSE(read_outcome("{}"));
    CHECK_FALSE(read_outcome("[1]"));

    // The result of one submission, run or stage is none of another.
    const fs::path results = world.out / grade_stage / "results";
    fs::copy_file(results / "1", results / "2");
    CHECK_FALSE(stage.result(2));
    CHECK_FALSE(Stage(world.out, "other", grade_stage, world.key).result(1));
    CHECK_FALSE(Stage(world.out, "r", grade_stage, seal::Key::of_this_run()).result(1));
    // Nor is one that others may write, or a link.
    fs::permissions(results / "1", fs::perms::others_write, fs::perm_options::add);
    CHECK_FALSE(stage.result(1));
    fs::create_symlink(results / "1", results / "3");
    CHECK_FALSE(stage.result(3));
}

TEST_CASE("of many that claim at once one gets it; a claim is free when it is freed") {
    World world;
    const Stage stage(world.out, "r", grade_stage, world.key);
    REQUIRE(stage.make());
    std::atomic<int> got{0};
    {
        std::vector<std::jthread> threads;
        for (int t = 0; t < 8; ++t)
            threads.emplace_back([&, t] {
                for (std::size_t item = 0; item < 20; ++item)
                    if (const auto claimed = stage.claim(item, {fmt::format("1_{}", t), 0});
                        claimed && *claimed)
                        ++got;
            });
    }
    CHECK(got == 20);
    CHECK(stage.open_claims().size() == 20);
    stage.free(7);
    CHECK(stage.open_claims().size() == 19);
    CHECK(stage.deaths() == std::map<std::size_t, int>{{7, 1}});
    CHECK(*stage.claim(7, {"2_0", 3}));
    CHECK(stage.open_claims().at(7).worker == Worker{"2_0", 3});
    // The first result stays.
    REQUIRE(stage.leave(7, "first"));
    REQUIRE(stage.leave(7, "second"));
    CHECK(*stage.result(7) == "first");
    CHECK_FALSE(stage.open_claims().contains(7));
    stage.refuse(7);
    CHECK_FALSE(stage.has_result(7));
    CHECK(stage.deaths().at(7) == 2);
}

TEST_CASE("a task that starts again frees what its former start had claimed, and nothing else") {
    World world;
    const Plan plan{.run = "r", .options = {}, .items = {{"a", "s0", "/0"}, {"a", "s1", "/1"}}};
    const Stage stage(world.out, "r", grade_stage, world.key);
    REQUIRE(stage.make());
    REQUIRE(*stage.claim(0, {"1_0", 0}));
    REQUIRE(*stage.claim(1, {"1_1", 0}));
    world.work(stage, plan, "1_0", 1);
    CHECK(stage.results() == std::vector<std::size_t>{0});
}

TEST_CASE("all are graded, the longest first, and nothing stays") {
    World world;
    world.array = [&](const Stage& stage, const Plan& plan, int) {
        CHECK(plan.items.front().student == "s3");
        CHECK(plan.items.back().student == "s0");
        world.work(stage, plan);
    };
    Batch batch{world};
    batch.run(false);
    batch.require_all_graded();
    CHECK(world.submitted == 1);
    CHECK_FALSE(fs::exists(cluster_folder(world.out)));
}

TEST_CASE("compiling first is an array of its own") {
    World world;
    std::vector<std::string> stages;
    world.array = [&](const Stage& stage, const Plan& plan, int) {
        stages.push_back(stage.name());
        world.work(stage, plan);
    };
    Batch batch{world};
    batch.run(false, {}, true);
    batch.require_all_graded();
    CHECK(stages == std::vector<std::string>{build_stage, grade_stage});
}

TEST_CASE("what a dead task had claimed is graded by another; what runs is left alone") {
    World world;
    world.array = [&](const Stage& stage, const Plan& plan, int array) {
        if (array > 1) return world.work(stage, plan, "2_0");
        REQUIRE(*stage.claim(0, {"1_0", 0}));
        REQUIRE(*stage.claim(1, {"1_1", 0}));
        world.tasks = {{"1_1", Task::State::running, ""}, {"1_0", Task::State::ending, ""}};
    };
    Batch batch{world};
    std::jthread other([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(200));
        const auto folders = fs::directory_iterator(cluster_folder(world.out));
        const fs::path run = folders->path();
        const auto plan = Plan::read(plan_file(run), world.key);
        const Stage stage(run, plan->run, grade_stage, world.key);
        // Nobody has taken it, though all others are graded.
        CHECK(stage.open_claims().size() == 1);
        CHECK(stage.open_claims().contains(1));
        CHECK(stage.leave(1, text_of({.problem = "of " + plan->items[1].student}, inputs)));
    });
    batch.run(false);
    batch.require_all_graded();
    CHECK(world.submitted == 2);
}

TEST_CASE("a submission whose tasks always die is given up, and the others are graded") {
    World world;
    world.array = [&](const Stage& stage, const Plan& plan, int array) {
        REQUIRE(*stage.claim(2, {fmt::format("{}_0", array), 0}));
        world.work(stage, plan, "other");
    };
    Batch batch{world};
    batch.run(false);
    REQUIRE(batch.finished.size() == class_size);
    CHECK_THAT(batch.finished[1].front(), Catch::Matchers::ContainsSubstring("given up after 5"));
    CHECK(batch.finished[0].front() == "of s0");
    CHECK(world.submitted == 5);
}

TEST_CASE("tasks that claim nothing are not submitted without end") {
    World world;
    world.array = [](const Stage&, const Plan&, int) {};
    Batch batch{world};
    CHECK_THROWS_AS(batch.run(false), HarnessFault);
    CHECK(world.submitted == 3);
    CHECK(batch.finished.empty());
}

TEST_CASE("a forged result and one of other inputs do not count, and are told") {
    World world;
    world.array = [&](const Stage& stage, const Plan& plan, int array) {
        if (array == 1) {
            const Stage forger(cluster_folder(world.out) / plan.run, plan.run, grade_stage,
                               seal::Key::of_this_run());
            REQUIRE(forger.leave(0, text_of({.problem = "of s3"}, inputs)));
            REQUIRE(stage.leave(1, text_of({.problem = "of s2"}, "submission def\n")));
            REQUIRE(stage.leave(2, "{\"inputs\": 7}"));
        }
        world.work(stage, plan);
    };
    Batch batch{world};
    batch.run(false);
    batch.require_all_graded();
    using Catch::Matchers::ContainsSubstring;
    CHECK_THAT(world.said, ContainsSubstring("s3 does not count: this grader has not written"));
    CHECK_THAT(world.said, ContainsSubstring("s2 does not count: it was of something else"));
    CHECK_THAT(world.said, ContainsSubstring("s1 does not count: the result makes no sense"));
}

TEST_CASE(
    "a scheduler that is silent for a while is asked again, and one that stays so is an end") {
    World world;
    world.array = [&](const Stage& stage, const Plan& plan, int) { world.work(stage, plan); };
    world.silent = 5;
    Batch batch{world};
    batch.run(false);
    batch.require_all_graded();
    CHECK_THAT(world.said, Catch::Matchers::ContainsSubstring("does not answer"));
    world.silent = 1 << 30;
    Batch silent{world};
    CHECK_THROWS_AS(silent.run(false), HarnessFault);
}

TEST_CASE("a batch that was killed is gone on with, and one of other options begins anew") {
    World world;
    world.array = [&](const Stage& stage, const Plan& plan, int) {
        for (const std::size_t item : {0, 2}) {
            REQUIRE(*stage.claim(item, {"1_0", 0}));
            REQUIRE(
                stage.leave(item, text_of({.problem = "of " + plan.items[item].student}, inputs)));
        }
        REQUIRE(*stage.claim(1, {"1_0", 0}));
        world.tasks = {{"1_0", Task::State::running, ""}};
    };
    Batch killed{world};
    killed.on_finish = [](std::size_t) { throw std::runtime_error("killed"); };
    CHECK_THROWS_AS(killed.run(false), std::runtime_error);
    REQUIRE(fs::exists(cluster_folder(world.out)));
    const std::string name = *world.names.begin();
    world.tasks.clear();
    world.array = [&](const Stage& stage, const Plan& plan, int) {
        world.work(stage, plan, "2_0");
    };

    Batch resumed{world};
    SECTION("resumed") {
        resumed.run(true);
        resumed.require_all_graded();
        CHECK(world.names == std::set<std::string>{name});
    }
    SECTION("resumed with other options: results still count") {
        resumed.run(true, {.timing = false});
        resumed.require_all_graded();
        CHECK(world.names.size() == 2);
        CHECK(world.cancelled.contains(name));
    }
    SECTION("begun anew") {
        resumed.run(false);
        resumed.require_all_graded();
        CHECK(world.names.size() == 2);
        CHECK(world.cancelled.contains(name));
    }
    SECTION("killed after the last one was graded") {
        Batch{.world = world, .count = 0}.run(true);
        CHECK(world.names.size() == 1);
        CHECK(world.cancelled.contains(name));
    }
    CHECK_FALSE(fs::exists(cluster_folder(world.out)));
}

TEST_CASE("a batch that is stopped cancels its jobs and keeps its folder") {
    World world;
    Batch batch{world};
    world.array = [&](const Stage&, const Plan&, int) { batch.stop = true; };
    batch.run(false);
    CHECK(batch.finished.empty());
    CHECK(world.cancelled.contains(*world.names.begin()));
    CHECK(fs::exists(cluster_folder(world.out)));
}

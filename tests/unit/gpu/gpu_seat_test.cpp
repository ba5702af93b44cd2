#include "gpu/gpu_seat.hpp"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "catch.hpp"
#include "while_another_has.hpp"

using namespace cugrade;

namespace {

/// GPUs that are nothing but names; each test has its own.
struct Gpus {
    std::vector<std::string> ids;
    explicit Gpus(int count) {
        static int test = 0;
        ++test;
        for (int i = 0; i < count; ++i)
            ids.push_back("test-" + std::to_string(getpid()) + "-" + std::to_string(test) + "-" +
                          std::to_string(i));
    }
    Gpus(const Gpus&) = delete;
    ~Gpus() {
        for (const auto& id : ids) std::filesystem::remove(file(id));
    }
    static std::string file(const std::string& id) { return "/tmp/cugrade-gpu-" + id + ".seat"; }
};

Status not_to_be_asked(std::size_t) { return Error{.message = "probed without a reason"}; }
Status answers(std::size_t) { return Done{}; }

/// A process that sits on the only GPU and is killed.
void killed_on(const std::vector<std::string>& ids) {
    while_another_has([&] { return GpuSeat::wait(ids, 1, answers); },
                      [&] { CHECK_FALSE(GpuSeat::wait(ids, 0.02, not_to_be_asked).ok()); });
}

}  // namespace

TEST_CASE("a task gets whichever GPU is free") {
    const Gpus gpus(3);
    auto first = GpuSeat::wait(gpus.ids, 1, not_to_be_asked);
    std::optional<Result<GpuSeat>> second(GpuSeat::wait(gpus.ids, 1, not_to_be_asked));
    auto third = GpuSeat::wait(gpus.ids, 1, not_to_be_asked);
    REQUIRE(first.ok());
    REQUIRE(second->ok());
    REQUIRE(third.ok());
    CHECK(first->index() == 0);
    CHECK((*second)->index() == 1);
    CHECK(third->index() == 2);
    const auto none = GpuSeat::wait(gpus.ids, 0.02, not_to_be_asked);
    REQUIRE_FALSE(none.ok());
    CHECK(none.error().kind == ErrorKind::harness);
    CHECK(none.error().message.find("no GPU became free") != std::string::npos);
    second.reset();
    const auto again = GpuSeat::wait(gpus.ids, 1, not_to_be_asked);
    REQUIRE(again.ok());
    CHECK(again->index() == 1);
}

TEST_CASE("many threads share two GPUs, one at a time on each, and all get their turn") {
    const Gpus gpus(2);
    std::atomic<int> on[2]{};
    std::atomic<int> most{0}, done{0}, used[2]{};
    std::vector<std::thread> threads;
    for (int t = 0; t < 12; ++t)
        threads.emplace_back([&] {
            const auto seat = GpuSeat::wait(gpus.ids, 5, not_to_be_asked);
            if (!seat) return;
            const int here = ++on[seat->index()];
            if (here > most) most = here;
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
            ++used[seat->index()];
            --on[seat->index()];
            ++done;
        });
    for (auto& thread : threads) thread.join();
    CHECK(done == 12);
    CHECK(most == 1);
    CHECK(used[0] > 0);
    CHECK(used[1] > 0);
}

TEST_CASE("a GPU whose grading was killed is probed first") {
    const Gpus gpus(1);
    killed_on(gpus.ids);
    int probed = 0;
    {
        const auto seat = GpuSeat::wait(gpus.ids, 1, [&](std::size_t i) -> Status {
            CHECK(i == 0);
            ++probed;
            return Done{};
        });
        CHECK(seat.ok());
        CHECK(probed == 1);
    }
    // It answered, and that grading ended in order: no reason to ask again.
    CHECK(GpuSeat::wait(gpus.ids, 1, not_to_be_asked).ok());
}

TEST_CASE("a GPU that was left in doubt is probed first") {
    const Gpus gpus(1);
    {
        auto seat = GpuSeat::wait(gpus.ids, 1, not_to_be_asked);
        REQUIRE(seat.ok());
        seat->doubt();
    }
    int probed = 0;
    CHECK(GpuSeat::wait(gpus.ids, 1, [&](std::size_t) -> Status {
              ++probed;
              return Done{};
          }).ok());
    CHECK(probed == 1);
}

TEST_CASE("a GPU that does not answer is left alone, and the others are used") {
    const Gpus gpus(2);
    killed_on({gpus.ids[0]});
    int probed = 0;
    const auto hangs = [&](std::size_t i) -> Status {
        ++probed;
        return Error{.message = "GPU " + std::to_string(i) + " does not answer"};
    };
    for (int k = 0; k < 2; ++k) {
        const auto seat = GpuSeat::wait(gpus.ids, 1, hangs);
        REQUIRE(seat.ok());
        CHECK(seat->index() == 1);
    }
    CHECK(probed == 1);  // not for every task
    const auto said = GpuSeat::left_alone();
    CHECK(std::ranges::find(said, "GPU 0 does not answer") != said.end());

    const auto none = GpuSeat::wait({gpus.ids[0]}, 1, hangs);
    REQUIRE_FALSE(none.ok());
    CHECK(none.error().kind == ErrorKind::harness);
    CHECK(none.error().message == "GPU 0 does not answer");
}

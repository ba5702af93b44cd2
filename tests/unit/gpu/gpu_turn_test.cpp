#include "gpu/gpu_turn.hpp"

#include <unistd.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <thread>

#include "catch.hpp"
#include "while_another_has.hpp"

using namespace cugrade;

namespace {

struct Lock {
    std::string id = "test-" + std::to_string(getpid());
    std::string path = "/tmp/cugrade-gpu-" + id + ".lock";
    std::string gate = "/tmp/cugrade-gpu-" + id + ".gate";
    ~Lock() {
        std::filesystem::remove(path);
        std::filesystem::remove(gate);
    }
    [[nodiscard]] Result<GpuTurn> alone(double patience_s) const {
        return GpuTurn::wait(id, GpuTurn::Hold::exclusive, patience_s);
    }
    [[nodiscard]] Result<GpuTurn> shared(double patience_s) const {
        return GpuTurn::wait(id, GpuTurn::Hold::shared, patience_s);
    }
};

}  // namespace

TEST_CASE("one process at a time has the GPU") {
    const Lock lock;
    std::optional<Result<GpuTurn>> first(lock.alone(1));
    REQUIRE(first->ok());
    const auto second = lock.alone(0.02);
    REQUIRE_FALSE(second.ok());
    CHECK(second.error().file == lock.path);
    CHECK(second.error().kind == ErrorKind::harness);
    first.reset();
    CHECK(lock.alone(0.02).ok());
}

TEST_CASE("a killed process gives the GPU back") {
    const Lock lock;
    while_another_has([&] { return lock.alone(1); }, [&] { CHECK_FALSE(lock.alone(0.02).ok()); });
    CHECK(lock.alone(1).ok());
}

TEST_CASE("a lock file that is a link is not followed") {
    const Lock lock;
    std::filesystem::create_symlink("/dev/null", lock.path);
    const auto turn = lock.alone(0.02);
    REQUIRE_FALSE(turn.ok());
    CHECK(turn.error().remedy.find("delete") != std::string::npos);
}

TEST_CASE("those who share the GPU keep out who wants it alone, and the other way round") {
    const Lock lock;
    {
        const auto one = lock.shared(1);
        const auto another = lock.shared(0.02);
        CHECK(one.ok());
        CHECK(another.ok());
        CHECK_FALSE(lock.alone(0.02).ok());
    }
    const auto alone = lock.alone(0.02);
    REQUIRE(alone.ok());
    CHECK_FALSE(lock.shared(0.02).ok());
}

TEST_CASE("who wants the GPU alone gets it although others keep sharing it") {
    const Lock lock;
    std::atomic<bool> over{false};
    std::atomic<int> shared{0};
    const auto keep_sharing = [&] {
        while (!over) {
            const auto turn = lock.shared(10);
            ++shared;
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
        }
    };
    // At each moment at least one of them has it.
    std::thread threads[] = {std::thread(keep_sharing), std::thread(keep_sharing),
                             std::thread(keep_sharing)};
    while (shared < 6) std::this_thread::yield();
    CHECK(lock.alone(5).ok());
    over = true;
    for (auto& thread : threads) thread.join();
}

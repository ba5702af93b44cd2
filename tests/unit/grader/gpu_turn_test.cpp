#include "grader/gpu_turn.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <optional>
#include <string>

#include "catch.hpp"

using namespace cugrade;

namespace {

struct Lock {
    std::string id = "test-" + std::to_string(getpid());
    std::string path = "/tmp/cugrade-gpu-" + id + ".lock";
    ~Lock() { std::filesystem::remove(path); }
};

}  // namespace

TEST_CASE("one process at a time has the GPU") {
    const Lock lock;
    std::optional<Result<GpuTurn>> first(GpuTurn::wait(lock.id, 1));
    REQUIRE(first->ok());
    const auto second = GpuTurn::wait(lock.id, 0.02);
    REQUIRE_FALSE(second.ok());
    CHECK(second.error().file == lock.path);
    CHECK(second.error().kind == ErrorKind::harness);
    first.reset();
    CHECK(GpuTurn::wait(lock.id, 0.02).ok());
}

TEST_CASE("a killed process gives the GPU back") {
    const Lock lock;
    int ready[2];
    REQUIRE(pipe(ready) == 0);
    const pid_t holder = fork();
    if (holder == 0) {
        const auto turn = GpuTurn::wait(lock.id, 1);
        const char byte = turn.ok() ? 'y' : 'n';
        if (write(ready[1], &byte, 1) == 1) pause();
        _exit(0);
    }
    char byte = 0;
    REQUIRE(read(ready[0], &byte, 1) == 1);
    REQUIRE(byte == 'y');
    CHECK_FALSE(GpuTurn::wait(lock.id, 0.02).ok());
    kill(holder, SIGKILL);
    waitpid(holder, nullptr, 0);
    CHECK(GpuTurn::wait(lock.id, 1).ok());
    close(ready[0]);
    close(ready[1]);
}

TEST_CASE("a lock file that is a link is not followed") {
    const Lock lock;
    std::filesystem::create_symlink("/dev/null", lock.path);
    const auto turn = GpuTurn::wait(lock.id, 0.02);
    REQUIRE_FALSE(turn.ok());
    CHECK(turn.error().remedy.find("delete") != std::string::npos);
}

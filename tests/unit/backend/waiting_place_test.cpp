#include "backend/gpu/waiting_place.hpp"

#include <atomic>
#include <chrono>
#include <optional>
#include <thread>

#include "catch.hpp"

using namespace cugrade;
using For = Backend::For;
using namespace std::chrono_literals;

namespace {

/// Waits in a thread of its own, and leaves its place when this ends.
class Waiter {
public:
    Waiter(std::size_t gpus, For what)
        : thread_([gpus, what, this] {
              const WaitingPlace place(gpus, what);
              sits = true;
              leave_.wait(false);
          }) {}
    Waiter(const Waiter&) = delete;
    ~Waiter() {
        leave_ = true;
        leave_.notify_one();
        thread_.join();
    }
    bool sits_soon() {
        for (int tries = 0; !sits && tries < 1000; ++tries) std::this_thread::sleep_for(10ms);
        return sits;
    }
    std::atomic<bool> sits = false;

private:
    std::atomic<bool> leave_ = false;
    std::thread thread_;
};

}  // namespace

TEST_CASE("who is to be timed gets a place before those whose cases are to run") {
    constexpr std::size_t gpus = 1;
    std::optional<WaitingPlace> taken[3];  // all there are
    for (auto& place : taken) place.emplace(gpus, For::cases);
    std::optional<Waiter> cases(std::in_place, gpus, For::cases);
    std::this_thread::sleep_for(50ms);  // it has come first
    std::optional<Waiter> timing(std::in_place, gpus, For::timing);
    std::this_thread::sleep_for(50ms);
    CHECK_FALSE(cases->sits);
    CHECK_FALSE(timing->sits);
    taken[0].reset();
    CHECK(timing->sits_soon());
    std::this_thread::sleep_for(50ms);
    CHECK_FALSE(cases->sits);
    SECTION("another place is free") { taken[1].reset(); }
    SECTION("the timing is over") { timing.reset(); }
    CHECK(cases->sits_soon());
}

TEST_CASE("a place that is left for timings is not left empty") {
    constexpr std::size_t gpus = 1;
    std::optional<WaitingPlace> taken[3];
    for (auto& place : taken) place.emplace(gpus, For::timing);
    Waiter timing(gpus, For::timing), cases(gpus, For::cases);
    std::this_thread::sleep_for(50ms);
    for (auto& place : taken) place.reset();
    CHECK(timing.sits_soon());
    CHECK(cases.sits_soon());
}

#include "build/build_turn.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include "catch.hpp"

using namespace cugrade;

TEST_CASE("one thread at a time builds a key") {
    std::atomic<int> inside = 0, most = 0, waited = 0;
    std::vector<std::jthread> threads;
    for (int n = 0; n < 8; ++n)
        threads.emplace_back([&] {
            for (int k = 0; k < 200; ++k) {
                const BuildTurn turn("a");
                const int now = ++inside;
                most = std::max(most.load(), now);
                waited += turn.has_waited() ? 1 : 0;
                --inside;
            }
        });
    threads.clear();
    CHECK(most == 1);
    // Another key is free, and so is this one again.
    const BuildTurn one("a"), other("b");
    CHECK_FALSE(one.has_waited());
    CHECK_FALSE(other.has_waited());
}

TEST_CASE("who waits for a key is told") {
    std::atomic<bool> has_waited = false;
    std::jthread second;
    {
        const BuildTurn first("k");
        second = std::jthread([&] { has_waited = BuildTurn("k").has_waited(); });
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    second.join();
    CHECK(has_waited);
}

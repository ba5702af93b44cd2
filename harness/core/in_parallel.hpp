// Independent parts of a grading on several threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "core/error.hpp"

namespace cugrade {

/// Runs f(0..count-1) on up to `jobs` threads. Returns the first error; an exception becomes an
/// error with its message.
template <class F>
Status in_parallel(std::size_t count, int jobs, F&& f) {
    std::atomic<std::size_t> next{0};
    std::mutex mutex;
    std::optional<Error> failure;
    const auto worker = [&] {
        for (std::size_t i = next++; i < count; i = next++) {
            Status status = Done{};
            try {
                status = f(i);
            } catch (const std::exception& error) {
                status = Error{.message = error.what()};
            }
            if (status) continue;
            const std::lock_guard lock(mutex);
            if (!failure) failure = status.error();
        }
    };
    std::vector<std::thread> threads;
    for (std::size_t t = 1; t < std::min(count, static_cast<std::size_t>(std::max(jobs, 1))); ++t)
        threads.emplace_back(worker);
    worker();
    for (auto& thread : threads) thread.join();
    if (failure) return *failure;
    return Done{};
}

}  // namespace cugrade

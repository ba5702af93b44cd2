#include "cluster/threads.hpp"

#include <algorithm>
#include <atomic>
#include <thread>

namespace cugrade::cluster {

void Threads::run(const std::vector<std::size_t>& items, const BatchSide& batch) {
    std::atomic<std::size_t> next{0};
    const auto work = [&] {
        for (std::size_t at = next++; at < items.size(); at = next++) {
            if (batch.should_stop()) return;
            batch.finish({{.item = items[at], .graded = grade_(items[at])}});
        }
    };
    const auto most = static_cast<int>(std::min<std::size_t>(items.size(), 1024));
    std::vector<std::jthread> threads;
    for (int t = 1; t < std::min(count_, most); ++t) threads.emplace_back(work);
    work();
}

}  // namespace cugrade::cluster

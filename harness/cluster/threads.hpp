// Grades in threads of this process. A free thread takes the next submission.
#pragma once

#include "cluster/executor.hpp"

namespace cugrade::cluster {

class Threads final : public Executor {
public:
    /// `count` at once. `grade` must not throw, and be safe between threads.
    Threads(int count, std::function<Graded(std::size_t)> grade)
        : count_(count), grade_(std::move(grade)) {}
    void run(const std::vector<std::size_t>& items, const BatchSide&) override;

private:
    int count_;
    std::function<Graded(std::size_t)> grade_;
};

}  // namespace cugrade::cluster

// Looks after the folder of hand-ins while a batch grades: what has landed is copied at once and
// waits. In a thread of its own, since a round of grading takes minutes.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "cli/batch_plan.hpp"
#include "cli/batch_setup.hpp"
#include "cli/watch_copies.hpp"
#include "cli/watch_folder.hpp"
#include "cli/watch_queue.hpp"

namespace cugrade::cli {

/// Safe between threads.
class WatchCollector {
public:
    /// `until`: seconds since 1970; what lands later is left alone. The setup's record has to be
    /// open. Throws Failure.
    WatchCollector(BatchSetup&, std::optional<std::int64_t> until);
    ~WatchCollector();
    WatchCollector(const WatchCollector&) = delete;

    struct News {
        bool is_over = false;   ///< the time has come, and nothing waits or is landing any more
        bool is_other = false;  ///< hand-ins have come or gone since next() was called last
        std::size_t waiting = 0;
    };
    /// Returns soon, also without news.
    [[nodiscard]] News wait();
    [[nodiscard]] std::size_t waiting() const;

    struct Work {
        BatchPlan plan;  ///< of which all items are left
        std::vector<LandedCopy> copies;
    };
    /// What is graded next, at most so many.
    [[nodiscard]] Work next(std::size_t most);
    /// What became of a copy of next().
    void is_graded(const LandedCopy&);
    void has_failed(const LandedCopy&);
    void put_back(LandedCopy);

    /// Ends the thread. Then the last plan, of which all items are left and those that landed too
    /// late are not asked for, and how many of others are unfinished. Throws Failure if the folder
    /// cannot be read.
    struct End {
        BatchPlan plan;
        std::size_t unfinished = 0;
        std::size_t too_late = 0;
    };
    [[nodiscard]] End end();

private:
    void learn_what_is_graded();
    void work();
    void look();
    void take_landed(const std::vector<record::Who>&, const BatchPlan&);
    void take(BatchItem, record::HandedIn);
    void take_what_was_left(const BatchPlan&);
    void tell_repaired(const LandedCopy&);
    void put(LandedCopy, const record::HandedIn&);
    void say_trouble(const std::string&);
    [[nodiscard]] News news() const;
    [[nodiscard]] BatchPlan left_plan() const;

    BatchSetup& setup_;
    std::optional<std::int64_t> until_;
    WatchCopies copies_;
    FolderEvents events_;          ///< of the thread
    std::string last_stamp_;       ///< of the thread: of the whole folder
    std::string last_extensions_;  ///< of the thread: of their table
    bool has_taken_left_ = false;  ///< of the thread: what an earlier watch had not come to
    /// Of the thread: when a hand-in landed that cannot be read.
    std::map<record::Who, std::int64_t> unread_since_;
    std::map<record::Who, Stamp> stamps_;

    mutable std::mutex mutex_;  ///< guards everything below, and stamps_
    std::condition_variable changed_;
    WatchQueue queue_;
    std::optional<BatchPlan> plan_;
    std::string trouble_;           ///< why the folder cannot be looked at; empty: it can
    bool is_other_ = false;         ///< see News
    bool is_looking_ = false;       ///< the thread looks, or copies what has landed
    bool has_looked_last_ = false;  ///< after `until_`
    bool should_end_ = false;
    std::thread thread_;
};

}  // namespace cugrade::cli

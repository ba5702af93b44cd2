// One build of a key at a time.
#pragma once

#include <string>

namespace cugrade {

/// While it lives, no other thread of this process has the same key: tasks that are graded side by
/// side need one baseline, and it is to be compiled once.
class BuildTurn {
public:
    /// Waits until the key is free.
    explicit BuildTurn(std::string key);
    ~BuildTurn();
    BuildTurn(const BuildTurn&) = delete;
    BuildTurn& operator=(const BuildTurn&) = delete;

    /// Whether another thread had it: what that one has built may be in the cache now.
    [[nodiscard]] bool has_waited() const { return has_waited_; }

private:
    std::string key_;
    bool has_waited_ = false;
};

}  // namespace cugrade

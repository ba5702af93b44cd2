#include "build/build_turn.hpp"

#include <condition_variable>
#include <mutex>
#include <set>

namespace cugrade {
namespace {

struct Taken {
    std::mutex mutex;
    std::condition_variable given_back;
    std::set<std::string> keys;
};
/// Lives as long as any thread that builds.
Taken& taken() {
    static Taken all;
    return all;
}

}  // namespace

BuildTurn::BuildTurn(std::string key) : key_(std::move(key)) {
    Taken& all = taken();
    std::unique_lock lock(all.mutex);
    has_waited_ = all.keys.contains(key_);
    all.given_back.wait(lock, [&] { return !all.keys.contains(key_); });
    all.keys.insert(key_);
}

BuildTurn::~BuildTurn() {
    Taken& all = taken();
    {
        const std::lock_guard lock(all.mutex);
        all.keys.erase(key_);
    }
    all.given_back.notify_all();
}

}  // namespace cugrade

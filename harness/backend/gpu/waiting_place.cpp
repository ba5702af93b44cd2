#include "backend/gpu/waiting_place.hpp"

#include <condition_variable>
#include <mutex>

namespace cugrade {
namespace {

struct Places {
    std::mutex mutex;
    std::condition_variable changed;
    std::size_t taken = 0;
    std::size_t timings_waiting = 0;
};
Places& places() {
    static Places all;
    return all;
}

}  // namespace

WaitingPlace::WaitingPlace(std::size_t gpus, Backend::For what) {
    // While one task has the GPU, data is made for the next and what the last one left is judged.
    const std::size_t all = 3 * gpus;
    const bool timing = what == Backend::For::timing;
    std::unique_lock lock(places().mutex);
    if (timing) ++places().timings_waiting;
    places().changed.wait(
        lock, [&] { return places().taken < all && (timing || places().timings_waiting == 0); });
    if (timing) --places().timings_waiting;
    ++places().taken;
    places().changed.notify_all();  // there may be another place, which no timing waits for now
}
WaitingPlace::~WaitingPlace() {
    const std::lock_guard lock(places().mutex);
    --places().taken;
    places().changed.notify_all();
}

}  // namespace cugrade

#include "emulator/state/polling.hpp"

#include <algorithm>

#include "emulator/state/memory.hpp"
#include "emulator/state/words.hpp"

namespace cugrade::emulator {
namespace {

/// A warp that reads one word so often in a row, with no store anywhere in between, is taken to
/// wait. Chosen: by then the loop around the reading has come to its beginning again.
constexpr std::uint32_t readings_of_who_waits = 3;
/// The grid's barrier counts arrivals in its lower bits and flips this one when all have come.
constexpr std::uint64_t all_arrived = 0x80000000;

std::uint64_t value_at(const std::byte* word, std::uint32_t bytes) {
    std::uint64_t value = 0;
    std::memcpy(&value, word, bytes);
    return value;
}

}  // namespace

void note_poll(Warp& w, const Ins* i, std::uint64_t address, std::uint32_t bytes) {
    const Launch& launch = *w.launch;
    Poll& poll = w.poll;
    if (poll.at != i || poll.address != address || poll.changes != launch.changes)
        poll = {.at = i, .address = address, .changes = launch.changes};
    if (++poll.readings < readings_of_who_waits || bytes > sizeof poll.value) return;
    if (static_cast<ptx::Space>(i->space) == ptx::Space::shared) address += shared_window;
    const std::byte* word = probe(w, w.first_lane(), address, bytes);
    if (word == nullptr) return;
    poll.word = word;
    poll.bytes = bytes;
    poll.value = value_at(word, bytes);
    poll.awaited = word == launch.grid_barrier ? all_arrived : ~std::uint64_t{0};
    poll.generation = launch.arena->generation();
    w.stop_at = 0;
}

bool is_parked(const Warp& w) {
    const Poll& poll = w.poll;
    return poll.word != nullptr && poll.generation == w.launch->arena->generation() &&
           std::ranges::none_of(w.others,
                                [](const Split& s) { return s.state == SplitState::running; }) &&
           ((value_at(poll.word, poll.bytes) ^ poll.value) & poll.awaited) == 0;
}

}  // namespace cugrade::emulator

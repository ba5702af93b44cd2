#include "emulator/observe/locked_data.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace cugrade::emulator {
namespace {

/// Chosen: small cases show it.
constexpr std::size_t most_words = 1 << 16;
constexpr std::size_t most_reads = 64;

bool have_one_in_common(const std::vector<std::uint64_t>& a, const std::vector<std::uint64_t>& b) {
    return std::ranges::find_first_of(a, b) != a.end();
}

}  // namespace

void LockedData::launch_started(const Launch& launch) {
    launch_ = &launch;
    words_.clear();
}

void LockedData::accessed(const Warp& w, const Ins* i, const Access& a) {
    if (a.space != ptx::Space::global || a.kind == Access::Kind::atomic) return;
    const bool is_store = a.kind == Access::Kind::store;
    if (is_store ? locks_.nobody_holds_any() : words_.empty()) return;
    for_lanes(a.mask, [&](std::uint32_t lane) {
        const std::uint64_t address = a.address[lane];
        if (is_store)
            stored(w, i, lane, address);
        else if (const auto word = words_.find(address); word != words_.end())
            loaded(w, i, lane, address, word->second);
        return true;
    });
}

void LockedData::stored(const Warp& w, const Ins* i, std::uint32_t lane, std::uint64_t address) {
    const Locks::Thread me = Locks::thread_of_lane(w, lane);
    const std::vector<std::uint64_t> held = locks_.held_by(me);
    const auto known = words_.find(address);
    if (known == words_.end()) {
        if (held.empty() || words_.size() >= most_words) return;
        words_[address] = {.locks = held, .storer = me, .store = i, .reads = {}, .storers = {me}};
        return;
    }
    Word& word = known->second;
    std::erase_if(word.locks, [&](std::uint64_t lock) { return std::ranges::find(held, lock) == held.end(); });
    if (word.locks.empty()) return;
    for (Read& read : word.reads) {
        if (read.thread != me)
            read.is_overtaken = true;
        else if (read.is_overtaken)
            report(w, lane, read.load, word, address, true);
    }
    std::erase_if(word.reads, [&](const Read& read) { return read.thread == me; });
    word.storer = me;
    word.store = i;
    word.storers.insert(me);
}

void LockedData::loaded(const Warp& w, const Ins* i, std::uint32_t lane, std::uint64_t address,
                        Word& word) {
    if (word.locks.empty()) return;
    const Locks::Thread me = Locks::thread_of_lane(w, lane);
    if (have_one_in_common(locks_.held_by(me), word.locks)) {
        std::erase_if(word.reads, [&](const Read& read) { return read.thread == me; });
        return;
    }
    if (word.storers.contains(me)) {
        if (word.storer != me) report(w, lane, i, word, address, false);
    } else if (word.reads.size() < most_reads) {
        word.reads.push_back({.thread = me, .load = i});
    }
}

void LockedData::report(const Warp& w, std::uint32_t lane, const Ins* load, const Word& word,
                        std::uint64_t address, bool was_before) {
    const auto line = [&](const Ins* i) { return place_of(*launch_->program, i); };
    Finding f;
    f.kind = FindingKind::used_without_lock;
    f.kernel = demangled(launch_->kernel->source->name);
    f.block = block_of(*launch_, w.block->number);
    f.thread = thread_of(*launch_, w.index * lanes + lane);
    f.place = line(load);
    f.callers = callers_of(*launch_->program, load);
    f.second = line(word.store);
    f.second_callers = callers_of(*launch_->program, word.store);
    f.buffer = launch_->arena->describe(address);
    f.message = fmt::format(
        "thread {} of block {} reads {} in {}, {}, and another thread, which holds the lock, stores to "
        "it in {} in between",
        triple(f.thread), triple(f.block), f.buffer, f.place.text(),
        was_before ? "before it takes the lock under which it stores there"
                   : "after it has given back the lock under which it has stored there",
        f.second->text());
    f.without_data = fmt::format(
        "a thread reads {} its lock what another one stores in {} in between",
        was_before ? "before it takes" : "after it has given back", f.second->text());
    findings_.add(std::move(f));
}

}  // namespace cugrade::emulator

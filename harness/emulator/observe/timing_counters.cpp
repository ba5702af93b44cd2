#include "emulator/observe/timing_counters.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "emulator/ops/lane_loops.hpp"
#include "emulator/state/limits.hpp"

namespace cugrade::emulator {

using ptx::Space;

namespace {

constexpr u64 sector_bytes = 32;
constexpr u64 kib = 1024;

/// One multiprocessor of Hopper: "CUDA C++ Programming Guide", "Compute Capabilities". L1 has what
/// shared memory leaves of it, but never less than a warp's lines.
constexpr u64 l1_and_shared_bytes = 256 * kib;
constexpr u64 least_l1_bytes = 16 * kib;
constexpr protocol::Multiprocessor one_multiprocessor{
    .threads = 2048, .blocks = 32, .shared_bytes = 228 * kib, .reserved_shared_bytes = kib};

/// Is a line still there after so many others? Measured on an H200 with warps that walk sections of
/// their own: 99 % are when the others fill half of the cache, 54 % when they fill it, 9 % when
/// they would fill it one and a half times.
double chance_to_stay(double part_of_cache) { return 1 / (1 + std::pow(part_of_cache, 8)); }

/// A lane's section of so many bytes is a fixed number of elements. Longer ones have a length that
/// follows from the size of the data, and that is a power of two at small sizes only, where it
/// makes all lanes meet in one bank. Chosen: 16 floats are more than most programs give a thread.
constexpr u64 longest_fixed_section = 64;

/// How often L1 looks up or delivers for one load.
u64 passes_of(const Access& a, u64 lines) {
    if (a.pattern != Pattern::scattered) return std::max<u64>(lines, 1);
    const u64 words = std::clamp<u64>(a.bytes / 4, 1, 4);
    const u64 by_lines = (lines * words + 3) / 4;
    const u32 first = a.first_lane();
    const u32 rest = a.mask & (a.mask - 1);
    if (rest == 0) return by_lines;
    const u64 second = a.address[static_cast<u32>(std::countr_zero(rest))];
    const u64 apart = std::max(second, a.address[first]) - std::min(second, a.address[first]);
    return apart <= longest_fixed_section ? std::max<u64>(by_lines, wavefronts_of(a).taken)
                                          : by_lines;
}

/// Shared memory adds, counts and compares 32-bit integers, and swaps 32 and 64 bits.
bool is_swap_loop(const ptx::Instruction& i) {
    if (i.has("cas") || i.has("exch")) return false;
    const std::string_view type = i.modifiers[i.modifier_count - 1u];
    return type.find('f') != std::string_view::npos || type.ends_with("64") || type.ends_with("x2");
}

struct SwapLoop {
    u64 rounds = 0, passes = 0;  ///< passes over the banks, of all rounds
};

/// In each round one lane of those on one address is done. All that are left load the old value,
/// and swap.
SwapLoop swap_loop_of(const Access& a) {
    std::array<u64, lanes> address{};
    std::array<u32, lanes> waiting{};
    std::size_t count = 0;
    u32 most = 0;
    for_lanes(a.mask, [&](u32 l) {
        std::size_t k = 0;
        while (k != count && address[k] != a.address[l]) ++k;
        if (k == count) address[count++] = a.address[l];
        most = std::max(most, ++waiting[k]);
        return true;
    });
    SwapLoop out{.rounds = most};
    const u64 words = std::max<u64>(a.bytes / 4, 1);
    for (u32 round = 0; round < most; ++round) {
        std::array<u32, 32> in_bank{};
        u32 passes = 0;
        for (std::size_t k = 0; k != count; ++k)
            if (waiting[k] > round) passes = std::max(passes, ++in_bank[address[k] / 4 % 32]);
        out.passes += 2 * words * passes;
    }
    return out;
}

/// The distinct lines of an access, each with the sectors that it touches.
class Lines {
public:
    explicit Lines(const Access& a) {
        if (a.pattern == Pattern::scattered) {
            for_lanes(a.mask, [&](u32 l) { return add(a.address[l], a.bytes), true; });
        } else {
            add(a.start(), a.pattern == Pattern::uniform ? a.bytes : a.length());
        }
    }
    struct Line {
        u64 number;
        u32 sectors;
    };
    [[nodiscard]] const Line* begin() const { return lines_.data(); }
    [[nodiscard]] const Line* end() const { return lines_.data() + count_; }

private:
    void add(u64 address, u64 bytes) {
        const u64 last = (address + bytes - 1) / sector_bytes;
        for (u64 sector = address / sector_bytes; sector <= last; ++sector) {
            const u64 number = sector / 4;
            const u32 bit = 1u << sector % 4;
            // Neighbouring lanes mostly share a line, so search from the newest one.
            std::size_t k = count_;
            while (k != 0 && lines_[k - 1].number != number) --k;
            if (k != 0)
                lines_[k - 1].sectors |= bit;
            else
                lines_[count_++] = {number, bit};
        }
    }
    static_assert(max_access_bytes <= LineCache::line_bytes);
    std::array<Line, std::size_t{2} * lanes> lines_;  // each lane touches two at most
    std::size_t count_ = 0;
};

}  // namespace

namespace {

/// xorshift64: a number in [0, 1).
double random_part(u64& state) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return static_cast<double>(state >> 11) * 0x1p-53;
}

}  // namespace

void LineCache::reset(u64 bytes) {
    sets_ = std::max<u64>(bytes / line_bytes / ways, 1);
    lines_.assign(sets_ * ways, {});
    random_ = 1;
}

/// Of the upper bits of the product, so that lines a power of two apart share no set.
LineCache::Line* LineCache::set_of(u64 line) {
    return lines_.data() + (line * 0x9E3779B97F4A7C15 >> 32) % sets_ * ways;
}

void LineCache::forget(u64 line) {
    Line* const set = set_of(line);
    for (Line* l = set; l != set + ways; ++l)
        if (l->number == line) *l = {};
}

u32 LineCache::bring(u64 line, u32 sectors) {
    Line* const set = set_of(line);
    Line* free = nullptr;
    for (Line* l = set; l != set + ways; ++l) {
        if (l->number == line) {
            const u32 missing = sectors & ~l->sectors;
            l->sectors |= sectors;
            return missing;
        }
        if (free == nullptr && l->number == no_line) free = l;
    }
    if (free == nullptr) {
        random_ ^= random_ << 13;
        random_ ^= random_ >> 7;
        random_ ^= random_ << 17;
        free = set + random_ % ways;
    }
    *free = {line, sectors};
    return sectors;
}

RecentLines::Before RecentLines::touch(u64 line, u32 sectors, u64 wait) {
    Before before;
    const auto found = std::ranges::find(touches_.rbegin(), touches_.rend(), line, &Touch::line);
    if (found != touches_.rend()) {
        before = {*found, static_cast<std::size_t>(found - touches_.rbegin())};
        touches_.erase(std::next(found).base());
    } else if (touches_.size() == most) {
        touches_.erase(touches_.begin());
    }
    touches_.push_back({line, wait, before.touch.sectors | sectors});
    return before;
}

TimingCounters::Static& TimingCounters::known(const ptx::Function& function) {
    const auto [found, is_new] = static_.try_emplace(&function);
    Static& out = found->second;
    if (is_new) {
        out.waits = waits_of(function);
        for (const ptx::Instruction& i : function.instructions)
            out.slots.push_back(issue_slots(function, i));
        out.first_block = blocks_known_;
        blocks_known_ += static_cast<u32>(out.waits.blocks.size());
    }
    return out;
}

void TimingCounters::launch_started(const Launch& launch) {
    launch_ = &launch;
    const u64 fit = std::max<u64>(
        protocol::resident_blocks(one_multiprocessor, launch.threads_per_block, launch.shared_bytes)
            .count,
        1);
    const u64 given =
        (launch.grid.count() + launch.config->multiprocessors - 1) / launch.config->multiprocessors;
    const u64 resident = std::min(fit, given);
    const u64 used = resident * (launch.shared_bytes + kib);
    const u64 l1_bytes =
        std::max(l1_and_shared_bytes - std::min(used, l1_and_shared_bytes), least_l1_bytes);
    cache_bytes_ = l1_bytes / resident;
    l1_lines_ = static_cast<double>(l1_bytes / LineCache::line_bytes);
    warps_ = static_cast<double>(resident * ((launch.threads_per_block + lanes - 1) / lanes));
    if (program_ != launch.program) {
        program_ = launch.program;
        loads_.clear();
        for (const Origin& origin : program_->origins) {
            const Static& of = known(*program_->functions[origin.function].source);
            loads_.push_back({of.first_block + of.waits.block[origin.instruction],
                              origin.instruction, of.waits.level[origin.instruction].global});
        }
    }
    now_ = {};
    code_.assign(launch.program->code.size(), {});
    atomics_ = {};
    residents_.clear();
    last_block_ = nullptr;
    pages_.launch_started();
}

TimingCounters::Resident& TimingCounters::resident(const Block& block) {
    if (&block != last_block_) {
        last_block_ = &block;
        last_ = &residents_[&block];
    }
    return *last_;
}

void TimingCounters::block_started(const Block& block) {
    Resident& r = resident(block);
    r.cache.reset(cache_bytes_);
    r.warps.assign(block.warps.size(), {});
    r.random = block.number * 2 + 1;
}

void TimingCounters::block_ended(const Block& block) {
    std::array<u64, 2> most{}, all{};
    for (const OfWarp& warp : resident(block).warps)
        for (std::size_t k = 0; k < most.size(); ++k) {
            most[k] = std::max(most[k], warp.requests[k]);
            all[k] += warp.requests[k];
        }
    now_.busiest_block_global = std::max(now_.busiest_block_global, all[0]);
    now_.busiest_block_shared = std::max(now_.busiest_block_shared, all[1]);
    now_.busiest_global_requests += most[0];
    now_.busiest_shared_requests += most[1];
}

void TimingCounters::count_atomics(const Access& a) {
    const ptx::Instruction& i = launch_->program->source_of(launch_->program->at(a.code));
    const std::string_view type = i.modifiers[i.modifier_count - 1u];
    const Kind kind = i.has("cas") || i.has("exch")                 ? swaps
                      : type.find('f') != std::string_view::npos    ? floating
                      : type.ends_with("64") || type.ends_with("8") ? integer64
                                                                    : integer32;
    AtomicLoad& load = atomics_[kind];
    const auto here = [&](u64 address) {
        return launch_->arena->find(address).holds(address, a.bytes);
    };
    const auto on_word = [&](u64 address, u64 n) {
        u64& count = pages_.at(address).on_word[address % Pages<Page>::page_bytes / 4];
        load.most_on_one_address = std::max(load.most_on_one_address, count += n);
    };
    if (!here(a.address[a.first_lane()])) return;
    if (a.pattern == Pattern::uniform && kind == integer32) {
        on_word(a.start(), 1);
    } else {
        for_lanes(a.mask, [&](u32 l) {
            if (here(a.address[l])) on_word(a.address[l], 1);
            return true;
        });
    }
    for (const auto& [line, sectors] : Lines(a)) {
        const auto n = static_cast<u64>(std::popcount(sectors));
        load.sectors += n;
        const u64 address = line * LineCache::line_bytes;
        if (!here(address)) continue;
        u64& count = pages_.at(address).in_kib[address % Pages<Page>::page_bytes / kib];
        load.most_in_one_kib = std::max(load.most_in_one_kib, count += n);
    }
}

void TimingCounters::waits_for(OfWarp& warp, const OfLoad& load) {
    const OfLoad& last = warp.last;
    const bool is_new =
        load.block != last.block || load.instruction <= last.instruction || load.level > last.level;
    warp.last = {load.block, load.instruction, is_new ? load.level : last.level};
    if (!is_new) return;
    ++warp.wait;
    warp.has_missed = false;
}

void TimingCounters::misses(OfWarp& warp) {
    if (!warp.has_missed) ++now_.missed_waits;
    warp.has_missed = true;
}

void TimingCounters::come_back(const RecentLines::Before& before, u32 sectors,
                               LineTiming& here) const {
    const auto again = static_cast<u64>(std::popcount(sectors & before.touch.sectors));
    here.again_sectors += again;
    here.again_reach += again * static_cast<u64>(static_cast<double>(before.others) * warps_);
}

u32 TimingCounters::load(Resident& r, OfWarp& warp, u64 line, u32 sectors, LineTiming& here) {
    const RecentLines::Before before = warp.recent.touch(line, sectors, warp.wait);
    if (before.touch.wait != 0 && before.touch.wait != warp.wait) {
        const double others = static_cast<double>(before.others) * warps_ / l1_lines_;
        constexpr double surely = 0.4;  // chosen: the chance is 99.9 %
        if (others > surely && random_part(r.random) > chance_to_stay(others)) r.cache.forget(line);
    }
    const u32 missing = r.cache.bring(line, sectors);
    come_back(before, missing, here);
    return missing;
}

void TimingCounters::store(Resident& r, OfWarp& warp, const Access& a, LineTiming& here) {
    const Lines lines(a);
    u64 sectors_touched = 0;
    for (const auto& [line, sectors] : lines)
        sectors_touched += static_cast<u64>(std::popcount(sectors));
    const bool is_partial = u64{a.active()} * a.bytes < sectors_touched * sector_bytes;
    for (const auto& [line, sectors] : lines) {
        r.cache.bring(line, sectors);
        const RecentLines::Before before = warp.recent.touch(line, sectors, warp.wait);
        if (is_partial && before.touch.wait != warp.wait) come_back(before, sectors, here);
    }
}

void TimingCounters::accessed(const Warp& w, const Ins*, const Access& a) {
    LineTiming& here = code_[a.code];
    if (a.kind == Access::Kind::atomic &&
        is_swap_loop(launch_->program->source_of(launch_->program->at(a.code)))) {
        const SwapLoop loop = swap_loop_of(a);
        if (a.space == Space::shared) {
            here.shared_swaps += loop.passes;
            here.issue_slots += loop.rounds * slots_of_a_swap;
            now_.shared_waits += loop.rounds * waits_of_a_swap;
        } else if (a.space == Space::global) {
            here.global_swap_rounds += loop.rounds;
            here.global_swaps += loop.passes;
        }
    }
    if (a.space != Space::global && a.space != Space::shared) return;
    Resident& r = resident(*w.block);
    if (w.index >= r.warps.size()) return;
    OfWarp& warp = r.warps[w.index];
    ++warp.requests[a.space == Space::global ? 0 : 1];
    if (a.space != Space::global) return;
    if (loads_[a.code].level != 0) waits_for(warp, loads_[a.code]);
    const Lines lines(a);
    const auto count = static_cast<u64>(lines.end() - lines.begin());
    if (a.kind != Access::Kind::load) {
        here.stored_lines += count;
        if (a.kind == Access::Kind::store) return store(r, warp, a, here);
        count_atomics(a);
        if (loads_[a.code].level != 0) misses(warp);
        return;
    }
    here.lines += count;
    here.passes += passes_of(a, count);
    std::uint64_t missed_lines = 0, missed_sectors = 0;
    for (const auto& [line, sectors] : lines) {
        const u32 missing = a.strong ? sectors : load(r, warp, line, sectors, here);
        if (missing == 0) continue;
        ++missed_lines;
        missed_sectors += static_cast<u64>(std::popcount(missing));
    }
    if (missed_lines == 0) return;
    misses(warp);
    ++here.missed_requests;
    here.missed_lines += missed_lines;
    here.missed_sectors += missed_sectors;
}

void TimingCounters::add_lines_to(std::map<Line, LineTiming>& lines) const {
    const Program& program = *launch_->program;
    for (u32 n = 0; n < code_.size(); ++n) {
        if (code_[n] == LineTiming{}) continue;
        const Place place = place_of(program, program.at(n));
        lines[{place.file, place.line}] += code_[n];
    }
}

void TimingCounters::launch_ended(const Launch& launch) {
    const Program& program = *launch.program;
    // The decoder drops some instructions, such as moves of constants. A basic block ran as often
    // as the instructions that are left of it.
    std::map<std::pair<const Static*, u32>, u64> runs;
    for (u32 n = 0; n < program.code.size(); ++n) {
        const Watched& watched = launch.watched[n];
        if (!watched.head || watched.tally.warps == 0) continue;
        const Origin& origin = program.origins[n];
        const Static& known_of = known(*program.functions[origin.function].source);
        const u64 slots = watched.tally.warps * known_of.slots[origin.instruction];
        code_[n].issue_slots += slots;
        u64& block = runs[{&known_of, known_of.waits.block[origin.instruction]}];
        block = std::max(block, watched.tally.warps);
    }
    for (const auto& [where, times] : runs) {
        const Waits& waits = where.first->waits.blocks[where.second];
        now_.waits += times * waits.global;
        now_.shared_waits += times * waits.shared;
    }
    LineTiming all;
    for (const LineTiming& one : code_) all += one;
    OfKernel& kernel = kernels_[demangled(launch.kernel->source->name)];
    add_lines_to(kernel.lines);
    TimingCounts& sum = kernel.total;
    sum.waits += now_.waits;
    sum.missed_waits += now_.missed_waits;
    sum.shared_waits += now_.shared_waits;
    sum.lines += all.lines + all.stored_lines;
    sum.stored_lines += all.stored_lines;
    sum.missed_requests += all.missed_requests;
    sum.missed_lines += all.missed_lines;
    sum.missed_sectors += all.missed_sectors;
    sum.passes += all.passes;
    sum.again_sectors += all.again_sectors;
    sum.again_reach += all.again_reach;
    sum.shared_swaps += all.shared_swaps;
    sum.busiest_global_requests += now_.busiest_global_requests;
    sum.busiest_shared_requests += now_.busiest_shared_requests;
    sum.busiest_block_global += now_.busiest_block_global;
    sum.busiest_block_shared += now_.busiest_block_shared;
    sum.issue_slots += all.issue_slots;
    const std::array<AtomicLoad*, kinds> sums{&sum.integer32, &sum.integer64, &sum.floating,
                                              &sum.swaps};
    for (std::size_t k = 0; k < kinds; ++k) {
        sums[k]->sectors += atomics_[k].sectors;
        sums[k]->most_on_one_address += atomics_[k].most_on_one_address;
        sums[k]->most_in_one_kib += atomics_[k].most_in_one_kib;
    }
}

}  // namespace cugrade::emulator

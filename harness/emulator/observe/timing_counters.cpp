#include "emulator/observe/timing_counters.hpp"

#include <algorithm>
#include <bit>

#include "emulator/ops/lane_loops.hpp"
#include "emulator/state/limits.hpp"

namespace cugrade::emulator {

using ptx::Space;

namespace {

/// The L1 cache of one multiprocessor. Devices have from 64 KiB (Turing) to 228 KiB (Hopper),
/// shared memory included.
constexpr u64 l1_bytes = 128 << 10;
constexpr u64 sector_bytes = 32;
constexpr u64 kib = 1024;

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

void LineCache::reset(u64 bytes) {
    sets_ = std::max<u64>(bytes / line_bytes / ways, 1);
    lines_.assign(sets_ * ways, {});
    random_ = 1;
}

u32 LineCache::bring(u64 line, u32 sectors) {
    Line* const set = lines_.data() + line * 0x9E3779B97F4A7C15 % sets_ * ways;
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

void TimingCounters::launch_started(const Launch& launch) {
    launch_ = &launch;
    const Occupancy occupancy = occupancy_of(launch);
    const u32 warps = (launch.threads_per_block + lanes - 1) / lanes;
    cache_bytes_ = l1_bytes / std::max(occupancy.resident_warps / std::max(warps, 1u), 1u);
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
    r.requests.assign(block.warps.size(), {});
}

void TimingCounters::block_ended(const Block& block) {
    std::array<u64, 2> most{}, all{};
    for (const auto& requests : resident(block).requests)
        for (std::size_t k = 0; k < most.size(); ++k) {
            most[k] = std::max(most[k], requests[k]);
            all[k] += requests[k];
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

void TimingCounters::accessed(const Warp& w, const Ins*, const Access& a) {
    if (a.space != Space::global && a.space != Space::shared) return;
    Resident& r = resident(*w.block);
    if (w.index < r.requests.size()) ++r.requests[w.index][a.space == Space::global ? 0 : 1];
    if (a.space != Space::global) return;
    const Lines lines(a);
    const auto count = static_cast<u64>(lines.end() - lines.begin());
    LineTiming& here = code_[a.code];
    now_.lines += count;
    if (a.kind != Access::Kind::load) {
        now_.stored_lines += count;
        here.stored_lines += count;
        if (a.kind == Access::Kind::atomic)
            count_atomics(a);
        else
            for (const auto& [line, sectors] : lines) r.cache.bring(line, sectors);
        return;
    }
    here.lines += count;
    std::uint64_t missed_lines = 0, missed_sectors = 0;
    for (const auto& [line, sectors] : lines) {
        const u32 missing = a.strong ? sectors : r.cache.bring(line, sectors);
        if (missing == 0) continue;
        ++missed_lines;
        missed_sectors += static_cast<u64>(std::popcount(missing));
    }
    if (missed_lines == 0) return;
    ++now_.missed_requests;
    now_.missed_lines += missed_lines;
    now_.missed_sectors += missed_sectors;
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
        const ptx::Function* function = program.functions[origin.function].source;
        const auto [found, is_new] = static_.try_emplace(function);
        Static& known = found->second;
        if (is_new) {
            known.waits = waits_of(*function);
            for (const ptx::Instruction& i : function->instructions)
                known.slots.push_back(issue_slots(*function, i));
        }
        const u64 slots = watched.tally.warps * known.slots[origin.instruction];
        now_.issue_slots += slots;
        code_[n].issue_slots += slots;
        u64& block = runs[{&known, known.waits.block[origin.instruction]}];
        block = std::max(block, watched.tally.warps);
    }
    for (const auto& [where, times] : runs) {
        const Waits& waits = where.first->waits.blocks[where.second];
        now_.waits += times * waits.global;
        now_.shared_waits += times * waits.shared;
    }
    OfKernel& kernel = kernels_[demangled(launch.kernel->source->name)];
    add_lines_to(kernel.lines);
    TimingCounts& sum = kernel.total;
    sum.waits += now_.waits;
    sum.shared_waits += now_.shared_waits;
    sum.lines += now_.lines;
    sum.stored_lines += now_.stored_lines;
    sum.missed_requests += now_.missed_requests;
    sum.missed_lines += now_.missed_lines;
    sum.missed_sectors += now_.missed_sectors;
    sum.busiest_global_requests += now_.busiest_global_requests;
    sum.busiest_shared_requests += now_.busiest_shared_requests;
    sum.busiest_block_global += now_.busiest_block_global;
    sum.busiest_block_shared += now_.busiest_block_shared;
    sum.issue_slots += now_.issue_slots;
    const std::array<AtomicLoad*, kinds> sums{&sum.integer32, &sum.integer64, &sum.floating,
                                              &sum.swaps};
    for (std::size_t k = 0; k < kinds; ++k) {
        sums[k]->sectors += atomics_[k].sectors;
        sums[k]->most_on_one_address += atomics_[k].most_on_one_address;
        sums[k]->most_in_one_kib += atomics_[k].most_in_one_kib;
    }
}

}  // namespace cugrade::emulator

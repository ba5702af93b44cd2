#include "emulator/observe/counters.hpp"

#include <algorithm>
#include <bit>

#include "emulator/ops/lane_loops.hpp"
#include "emulator/state/limits.hpp"

namespace cugrade::emulator {

using ptx::Space;

namespace {

constexpr u64 sector_bytes = 32;
constexpr u64 sectors_per_page = 4096 / sector_bytes;
constexpr u32 banks = 32;
constexpr u64 bank_bytes = 4;

/// A set of at most 64 numbers, none of them ~0.
class SmallSet {
public:
    SmallSet() { slots_.fill(~u64{0}); }
    /// True if the number is new.
    bool add(u64 number) {
        u64 slot = number * 0x9E3779B97F4A7C15 >> 57;
        while (slots_[slot] != number) {
            if (slots_[slot] == ~u64{0}) {
                slots_[slot] = number;
                return true;
            }
            slot = (slot + 1) % slots_.size();
        }
        return false;
    }

private:
    std::array<u64, 128> slots_;
};

/// Are the lanes consecutive, each with an aligned power of two of at most 16 bytes?
bool is_run_of_words(const Access& a) {
    return a.pattern == Pattern::consecutive && a.bytes <= 16 && std::has_single_bit(a.bytes) &&
           (a.start() & (a.bytes - 1)) == 0;
}

}  // namespace

u32 sectors_of(const Access& a) {
    if (a.pattern != Pattern::scattered) {
        const u64 start = a.start(), bytes = a.pattern == Pattern::uniform ? a.bytes : a.length();
        return static_cast<u32>((start + bytes - 1) / sector_bytes - start / sector_bytes) + 1;
    }
    // As long as addresses do not fall from lane to lane, a sector is new if the lane before
    // touched another one.
    u32 count = 0;
    u64 newest = ~u64{0};
    const bool in_order = for_lanes(a.mask, [&](u32 l) {
        const u64 first = a.address[l] / sector_bytes;
        const u64 last = (a.address[l] + a.bytes - 1) / sector_bytes;
        if (newest != ~u64{0} && first < newest) return false;
        count += static_cast<u32>(last - first) + (first == newest ? 0 : 1);
        newest = last;
        return true;
    });
    if (in_order) return count;
    SmallSet sectors;
    count = 0;
    for_lanes(a.mask, [&](u32 l) {
        const u64 first = a.address[l] / sector_bytes;
        const u64 last = (a.address[l] + a.bytes - 1) / sector_bytes;
        count += sectors.add(first) ? 1u : 0u;
        if (last != first) count += sectors.add(last) ? 1u : 0u;
        return true;
    });
    return count;
}

namespace {

/// The wavefronts of the lanes in `group`, which are served together.
Wavefronts wavefronts_of_group(const Access& a, u32 group, u32 words) {
    std::array<u32, banks> in_bank{};
    u32 total = 0;
    if (a.kind == Access::Kind::atomic) {
        // Atomics on one word take turns; loads and stores of one word share a wavefront.
        for_lanes(group, [&](u32 l) {
            const u64 word = a.address[l] / bank_bytes;
            ++in_bank[word % banks];
            for (u32 n = 1; n < words; ++n) ++in_bank[(word + n) % banks];
            return true;
        });
        total = words * static_cast<u32>(std::popcount(group));
    } else {
        std::array<std::array<u64, 32 * 4>, banks> word;  // distinct words, by bank
        for_lanes(group, [&](u32 l) {
            for (u32 n = 0; n < words; ++n) {
                const u64 wanted = a.address[l] / bank_bytes + n;
                auto& others = word[wanted % banks];
                u32& count = in_bank[wanted % banks];
                u32 k = 0;
                while (k < count && others[k] != wanted) ++k;
                if (k != count) continue;
                others[count++] = wanted;
                ++total;
            }
            return true;
        });
    }
    u32 most = 0;
    for (const u32 n : in_bank) most = std::max(most, n);
    return {most, (total + banks - 1) / banks};
}

}  // namespace

Wavefronts wavefronts_of(const Access& a) {
    const u32 words = std::max<u32>(1, static_cast<u32>((a.bytes + bank_bytes - 1) / bank_bytes));
    const u32 together = words >= 4 ? 8 : words == 2 ? 16 : 32;  // lanes served at once
    const bool atomic = a.kind == Access::Kind::atomic;
    // No conflicts: up to 32 words in a row lie in different banks, and lanes share one word.
    const bool in_one = is_run_of_words(a) ? !atomic || a.bytes >= bank_bytes
                                           : a.pattern == Pattern::uniform && !atomic && words <= 4;
    if (in_one && together == lanes) return {1, 1};
    Wavefronts result;
    for (u32 first = 0; first < lanes; first += together) {
        const u32 group =
            a.mask & (together == lanes ? all_lanes : ((1u << together) - 1) << first);
        if (group == 0) continue;
        const Wavefronts here = in_one ? Wavefronts{1, 1} : wavefronts_of_group(a, group, words);
        result.taken += here.taken;
        result.ideal += here.ideal;
    }
    return result;
}

void Counters::launch_started(const Launch& launch) {
    launch_ = &launch;
    program_ = launch.program;
    code_.assign(program_->code.size(), 0);
    counts_.clear();
    blocks_ = 0;
    ranges_.launch_started(launch);
    pages_.launch_started();
    shared_atomics_.clear();
    last_block_ = nullptr;
    odd_atomics_.clear();
    most_atomics_ = 0;
}

void Counters::block_started(const Block& block) {
    ++blocks_;
    // The block that ran in this slot before has left its counts here.
    if (shared_atomics_.empty()) return;
    if (const auto it = shared_atomics_.find(&block); it != shared_atomics_.end())
        std::fill(it->second.begin(), it->second.end(), 0);
}

Counts& Counters::new_counts(u32& slot) {
    counts_.emplace_back();
    slot = static_cast<u32>(counts_.size());
    return counts_.back();
}

void Counters::parted(const Warp&, const Ins* i, u32, u32) {
    ++at(program_->index_of(i)).divergent_branches;
}

void Counters::arrived(const Warp&, const Ins* i, u32, u32) {
    ++at(program_->index_of(i)).barriers;
}

void Counters::set_sectors(Sectors& bits, u64 first, u64 last) {
    for (u64 s = first; s <= last;) {
        const u64 here = std::min<u64>(last, s | 63);
        bits[s / 64] |= (~u64{0} >> (63 - (here - s))) << s % 64;
        s = here + 1;
    }
}

void Counters::cover(u64 address, u64 bytes, Sectors Covered::*which, bool on) {
    if (address < Memory::device_base || bytes == 0) return;
    const u64 begin = (address - Memory::device_base) / sector_bytes;
    const u64 end = (address - Memory::device_base + bytes - 1) / sector_bytes + 1;
    for (u64 s = begin; s < end;) {
        const u64 page = s / sectors_per_page, next = std::min(end, (page + 1) * sectors_per_page);
        Sectors mask{};
        set_sectors(mask, s % sectors_per_page, (next - 1) % sectors_per_page);
        s = next;
        Sectors& bits = covered_[page].*which;
        for (std::size_t word = 0; word < bits.size(); ++word)
            bits[word] = on ? bits[word] | mask[word] : bits[word] & ~mask[word];
    }
}

void Counters::read_by_host(u64 from, u64 bytes) { cover(from, bytes, &Covered::read); }

void Counters::written_by_host(u64 to, u64 bytes) { cover(to, bytes, &Covered::stored, false); }

void Counters::copied(u64 to, u64 from, u64 bytes) {
    cover(from, bytes, &Covered::read);
    cover(to, bytes, &Covered::stored);
    ++transfers_.copies;
    transfers_.copied_bytes += bytes;
    if (is_for_host(to)) shown_bytes_ += bytes;
}

void Counters::filled(u64 to, u64 bytes) {
    cover(to, bytes, &Covered::stored);
    ++transfers_.fills;
    transfers_.filled_bytes += bytes;
}

Counters::Coverage Counters::coverage_of(u64 address, u64 bytes) const {
    Coverage out;
    if (address < Memory::device_base || bytes == 0) return out;
    const u64 begin = (address - Memory::device_base) / sector_bytes;
    const u64 end = (address - Memory::device_base + bytes - 1) / sector_bytes + 1;
    for (u64 s = begin; s < end;) {
        const u64 page = s / sectors_per_page, next = std::min(end, (page + 1) * sectors_per_page);
        Sectors wanted{};
        set_sectors(wanted, s % sectors_per_page, (next - 1) % sectors_per_page);
        s = next;
        const auto found = covered_.find(page);
        if (found == covered_.end()) continue;
        for (std::size_t word = 0; word < wanted.size(); ++word) {
            const auto count = [&](const Sectors& of) {
                return static_cast<u64>(std::popcount(of[word] & wanted[word])) * sector_bytes;
            };
            out.read_bytes += count(found->second.read);
            out.stored_bytes += count(found->second.stored);
        }
    }
    return {std::min(out.read_bytes, bytes), std::min(out.stored_bytes, bytes)};
}

u64 Counters::distinct_bytes() const {
    u64 sectors = 0;
    for (const auto& [page, covered] : covered_)
        for (std::size_t word = 0; word < covered.read.size(); ++word)
            sectors += static_cast<u64>(std::popcount(covered.read[word] | covered.stored[word]));
    return sectors * sector_bytes;
}

void Counters::touch(const Ins* i, const Access& a) {
    const bool reads = a.kind != Access::Kind::store, stores = a.kind != Access::Kind::load;
    const auto set = [&](u64 first, u64 last) {  // sectors of one page
        Page& page = pages_.at(first * sector_bytes);
        if (reads) set_sectors(page.read, first % sectors_per_page, last % sectors_per_page);
        if (stores) set_sectors(page.stored, first % sectors_per_page, last % sectors_per_page);
    };
    if (a.pattern == Pattern::consecutive) {
        const u64 start = a.start(), end = start + a.length();
        if (!ranges_.hold(i, start, end - start)) return;
        for (u64 at = start; at < end;) {
            const u64 next =
                std::min(end, (at / Pages<Page>::page_bytes + 1) * Pages<Page>::page_bytes);
            set(at / sector_bytes, (next - 1) / sector_bytes);
            at = next;
        }
        return;
    }
    u64 newest = ~u64{0};
    for_lanes(a.mask, [&](u32 l) {
        const u64 sector = a.address[l] / sector_bytes;
        if (sector == newest || !ranges_.hold(i, a.address[l], a.bytes)) return true;
        newest = sector;
        set(sector, sector);
        return true;
    });
}

void Counters::count_global_atomics(const Ins* i, const Access& a) {
    const u32 step = a.bytes / a.elements;
    const auto one = [&](u64 address, u64 n) {
        if (!ranges_.hold(i, address, step)) return;
        if (address % 4 != 0) return note_atomics(odd_atomics_[{a.space, 0, address}] += n);
        auto& atomics = pages_.at(address).atomics;
        if (atomics == nullptr) {
            atomics = std::make_unique<std::array<u64, 1024>>();
            atomics->fill(0);
        }
        note_atomics((*atomics)[address % Pages<Page>::page_bytes / 4] += n);
    };
    const auto count = [&](u64 address, u64 n) {
        for (u32 k = 0; k < a.elements; ++k) one(address + k * step, n);
    };
    if (a.pattern == Pattern::uniform) return count(a.start(), a.active());
    for_lanes(a.mask, [&](u32 l) { return count(a.address[l], 1), true; });
}

void Counters::count_shared_atomics(const Warp& w, const Access& a) {
    if (last_block_ != w.block) {
        last_block_ = w.block;
        last_words_ = &shared_atomics_[w.block];
        last_words_->resize(launch_->shared_bytes / 4 + 1);
    }
    u64* const words = last_words_->data();
    const u64 size = launch_->shared_bytes;
    u64 most = most_atomics_, low_bits = 0, highest = 0;
    for (u32 l = 0; l < lanes; ++l) {
        low_bits |= a.address[l];
        highest = std::max(highest, a.address[l]);
    }
    if (a.mask == all_lanes && low_bits % 4 == 0 && highest < size) {
        for (u32 l = 0; l < lanes; ++l) most = std::max(most, ++words[a.address[l] / 4]);
        most_atomics_ = most;
        return;
    }
    for_lanes(a.mask, [&](u32 l) {
        const u64 address = a.address[l];
        if (address >= size) return true;
        u64& n = address % 4 == 0 ? words[address / 4]
                                  : odd_atomics_[{a.space, w.block->number, address}];
        most = std::max(most, ++n);
        return true;
    });
    most_atomics_ = most;
}

void Counters::accessed(const Warp& w, const Ins* i, const Access& a) {
    Counts& counts = at(a.code);
    Traffic* traffic = nullptr;
    using Kind = Access::Kind;
    switch (a.space) {
        case Space::global:
            traffic = a.kind == Kind::load    ? &counts.global_load
                      : a.kind == Kind::store ? &counts.global_store
                                              : &counts.global_atomic;
            break;
        case Space::shared:
            traffic = a.kind == Kind::load    ? &counts.shared_load
                      : a.kind == Kind::store ? &counts.shared_store
                                              : &counts.shared_atomic;
            break;
        case Space::local:
            traffic = a.kind == Kind::load ? &counts.local_load : &counts.local_store;
            break;
        default: ++counts.constant_loads; return;
    }
    const u64 active = a.active();
    ++traffic->requests;
    traffic->lanes += active;
    traffic->bytes += active * a.bytes;
    if (a.space == Space::shared) {
        const Wavefronts fronts = wavefronts_of(a);
        traffic->wavefronts += fronts.taken;
        traffic->ideal += fronts.ideal;
        if (a.kind == Kind::atomic) count_shared_atomics(w, a);
        return;
    }
    if (a.space == Space::local) {
        // Threads' local memory is interleaved word by word: lanes at one offset are neighbours.
        traffic->sectors += (active * a.bytes + sector_bytes - 1) / sector_bytes;
        return;
    }
    traffic->sectors += sectors_of(a);
    touch(i, a);
    if (a.kind == Kind::atomic) count_global_atomics(i, a);
}

Occupancy occupancy_of(const Launch& launch) {
    const MachineConfig& config = *launch.config;
    const u32 warps = (launch.threads_per_block + lanes - 1) / lanes;
    Occupancy result;
    result.max_warps = resident_threads(config.arch) / lanes;
    const protocol::ResidentBlocks resident = protocol::resident_blocks(
        multiprocessor_of(config), launch.threads_per_block, launch.shared_bytes);
    u64 blocks = resident.count;
    switch (resident.limit) {
        case protocol::OccupancyLimit::blocks: result.limit = "blocks"; break;
        case protocol::OccupancyLimit::threads: result.limit = "threads"; break;
        case protocol::OccupancyLimit::shared_memory: result.limit = "shared memory"; break;
    }
    const u64 in_grid = (launch.grid.count() + config.multiprocessors - 1) / config.multiprocessors;
    if (in_grid < blocks) {
        blocks = in_grid;
        result.limit = "the grid";
    }
    result.resident_warps = static_cast<u32>(blocks) * warps;
    return result;
}

void Counters::launch_ended(const Launch& launch) {
    const std::string name = demangled(launch.kernel->source->name);
    auto found = std::find_if(kernels_.begin(), kernels_.end(),
                              [&](const KernelCounts& k) { return k.kernel == name; });
    if (found == kernels_.end()) {
        kernels_.emplace_back();
        most_work_.push_back(0);
        found = kernels_.end() - 1;
        found->kernel = name;
    }
    KernelCounts& kernel = *found;
    const u64 work_before = kernel.total.warp_instructions;
    ++kernel.launches;
    if (launch.by_host) ++kernel.total.host_launches;
    kernel.blocks += blocks_;
    kernel.threads += blocks_ * launch.threads_per_block;
    u64 bytes = 0, rewritten = 0;
    pages_.for_each_numbered([&](u64 number, const Page& page) {
        Covered& covered = covered_[number];
        const bool shown =
            is_for_host(Memory::device_base + number * Pages<Page>::page_bytes);
        for (std::size_t word = 0; word < page.read.size(); ++word) {
            if (shown)
                shown_bytes_ +=
                    static_cast<u64>(std::popcount(page.stored[word])) * sector_bytes;
            covered.read[word] |= page.read[word];
            covered.stored[word] |= page.stored[word];
            bytes +=
                static_cast<u64>(std::popcount(page.read[word] | page.stored[word])) * sector_bytes;
            rewritten +=
                static_cast<u64>(std::popcount(page.read[word] & page.stored[word])) * sector_bytes;
        }
    });
    kernel.distinct_global_bytes += bytes;
    kernel.rewritten_global_bytes += rewritten;
    kernel.most_global_bytes = std::max(kernel.most_global_bytes, bytes);
    kernel.most_atomics_on_one_address =
        std::max(kernel.most_atomics_on_one_address, most_atomics_);
    for (u32 n = 0; n < code_.size(); ++n) {
        const Watched& watched = launch.watched[n];
        const Tally& tally = watched.tally;
        if (tally.warps == 0 && tally.events == 0 && code_[n] == 0) continue;
        Counts counts = code_[n] == 0 ? Counts{} : counts_[code_[n] - 1];
        counts.warp_instructions = tally.warps;
        counts.thread_instructions = tally.lanes;
        counts.by_class[static_cast<std::size_t>(watched.kind)] = tally.warps;
        if (watched.what == Watched::What::branch) counts.branches = tally.events;
        if (watched.what == Watched::What::constant) counts.constant_loads = tally.events;
        const Place place = place_of(*program_, program_->at(n));
        kernel.lines[{place.file, place.line}] += counts;
        kernel.total += counts;
    }
    const u64 work = kernel.total.warp_instructions - work_before;
    u64& most = most_work_[static_cast<std::size_t>(found - kernels_.begin())];
    if (kernel.launches > 1 && work < most) return;
    most = work;
    kernel.grid = {launch.grid.x, launch.grid.y, launch.grid.z};
    kernel.block = {launch.block.x, launch.block.y, launch.block.z};
    kernel.shared_bytes = launch.shared_bytes;
    kernel.occupancy = occupancy_of(launch);
}

}  // namespace cugrade::emulator

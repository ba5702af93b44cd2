#include "emulator/model/what_if.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>

#include "protocol/occupancy.hpp"

namespace cugrade::model {
namespace {

using emulator::AtomicLoad;
using emulator::Counts;
using emulator::DeviceCounts;
using emulator::HostCounts;
using emulator::InstructionClass;
using emulator::KernelCounts;
using emulator::Line;
using emulator::LineTiming;
using emulator::number;
using emulator::TimingCounts;
using emulator::Traffic;
using u64 = std::uint64_t;

constexpr double warp = 32, sector_bytes = 32, line_bytes = 128;
/// A block of a grid that fills the device. Chosen: it suits every GPU of devices/.
constexpr double usual_block = 256;

u64 rounded(double n) { return static_cast<u64>(std::llround(std::max(n, 0.0))); }
void scale(u64& n, double by) { n = rounded(number(n) * by); }
double part(u64 of, u64 all) { return all == 0 ? 1 : number(of) / number(all); }

// All numbers of these, so that edits of all of them forget none.
constexpr std::array traffic_numbers{&Traffic::requests, &Traffic::lanes,      &Traffic::bytes,
                                     &Traffic::sectors,  &Traffic::wavefronts, &Traffic::ideal};
constexpr std::array traffics{&Counts::global_load,  &Counts::global_store, &Counts::global_atomic,
                              &Counts::shared_load,  &Counts::shared_store, &Counts::shared_atomic,
                              &Counts::local_load,   &Counts::local_store};
constexpr std::array count_numbers{&Counts::warp_instructions, &Counts::thread_instructions,
                                   &Counts::branches, &Counts::divergent_branches,
                                   &Counts::constant_loads, &Counts::barriers};
constexpr std::array timing_numbers{&LineTiming::lines,           &LineTiming::stored_lines,
                                    &LineTiming::missed_requests, &LineTiming::missed_lines,
                                    &LineTiming::missed_sectors,  &LineTiming::issue_slots,
                                    &LineTiming::passes,          &LineTiming::again_sectors,
                                    &LineTiming::again_reach,     &LineTiming::shared_swaps,
                                    &LineTiming::global_swaps,    &LineTiming::global_swap_rounds};
constexpr std::array kinds_of_atomics{&TimingCounts::integer32, &TimingCounts::integer64,
                                      &TimingCounts::floating, &TimingCounts::swaps};
constexpr std::array atomic_numbers{&AtomicLoad::sectors, &AtomicLoad::most_on_one_address,
                                    &AtomicLoad::most_in_one_kib};

/// Calls f(number) for every number of a line, or f(number, that of another line).
template <class F, class C, class... Others>
void for_each_number(F&& f, C& c, Others&... others) {
    for (const auto n : count_numbers) f(c.*n, others.*n...);
    for (std::size_t n = 0; n < c.by_class.size(); ++n) f(c.by_class[n], others.by_class[n]...);
    for (const auto t : traffics)
        for (const auto n : traffic_numbers) f(c.*t.*n, others.*t.*n...);
}

void scale(Traffic& t, double by) {
    for (const auto n : traffic_numbers) scale(t.*n, by);
}

double threads_of(const KernelCounts& k) {
    return std::max(1.0, number(k.block[0]) * k.block[1] * k.block[2]);
}

// --- edits of counts

u64 least_sectors(const Traffic& t) {
    return std::min(t.sectors, std::max(t.requests, rounded(number(t.bytes) / sector_bytes)));
}

/// Adds the lines' counts up again, where some of them were changed. Waits and the busiest warps
/// are known of the kernel only: they change as the requests do.
void add_up(KernelCounts& k) {
    const auto global = [](const Counts& c) {
        return c.global_load.requests + c.global_store.requests + c.global_atomic.requests;
    };
    const auto shared = [](const Counts& c) {
        return c.shared_load.requests + c.shared_store.requests + c.shared_atomic.requests;
    };
    const Counts before = k.total;
    k.total = {};
    k.total.host_launches = before.host_launches;
    for (const auto& [line, counts] : k.lines) k.total += counts;
    LineTiming all;
    for (const auto& [line, timing] : k.line_timing) all += timing;
    TimingCounts& t = *k.timing;
    const u64 before_missed = t.missed_requests;
    t.lines = all.lines + all.stored_lines;
    t.stored_lines = all.stored_lines;
    t.missed_requests = all.missed_requests;
    t.missed_lines = all.missed_lines;
    t.missed_sectors = all.missed_sectors;
    t.issue_slots = all.issue_slots;
    t.passes = all.passes;
    t.again_sectors = all.again_sectors;
    t.again_reach = all.again_reach;
    t.shared_swaps = all.shared_swaps;
    const double missing = part(all.missed_requests, before_missed);
    scale(t.missed_waits, missing);
    scale(t.waits, part(k.total.global_load.requests, before.global_load.requests));
    t.missed_waits = std::min(t.missed_waits, t.waits);
    scale(t.shared_waits, part(shared(k.total), shared(before)));
    for (u64* n : {&t.busiest_global_requests, &t.busiest_block_global})
        scale(*n, part(global(k.total), global(before)));
    for (u64* n : {&t.busiest_shared_requests, &t.busiest_block_shared})
        scale(*n, part(shared(k.total), shared(before)));
}

/// Loads of the bytes that they ask for. L1 serves what it serves now, but no sector has to be
/// fetched again because others have displaced it. Returns how many of them are waited for, each alone:
/// the compiler has several loads of neighbours under way at once, and not those of a loop that takes
/// one of each row.
u64 coalesce_loads(Traffic& t, LineTiming& at) {
    if (t.requests == 0) return 0;
    // A thread that walks neighbours finds most of them in a sector that it has.
    const bool walks = 2 * at.missed_sectors <= t.sectors;
    const u64 sectors = least_sectors(t);
    const u64 lines =
        std::min(at.lines, std::max(t.requests, rounded(number(t.bytes) / line_bytes)));
    at.missed_sectors = std::min(at.missed_sectors, sectors);
    const double in_a_line = std::clamp(part(sectors, lines), 1.0, line_bytes / sector_bytes);
    at.missed_lines = std::min(at.missed_lines, rounded(number(at.missed_sectors) / in_a_line));
    at.missed_requests = std::min(t.requests, at.missed_lines);
    at.lines = at.passes = lines;
    at.again_sectors = at.again_reach = 0;
    t.sectors = sectors;
    return walks ? t.requests : 0;
}

void coalesce_stores(Traffic& t, LineTiming& at, u64 sectors_of_atomics) {
    if (t.requests == 0) return;
    // The lines of a line's atomics are counted with its stores.
    const double of_stores = part(t.sectors, t.sectors + sectors_of_atomics);
    const double lines = number(at.stored_lines) * of_stores;
    const double least =
        std::min(lines, std::max(number(t.requests), number(t.bytes) / line_bytes));
    at.stored_lines = rounded(number(at.stored_lines) - lines + least);
    t.sectors = least_sectors(t);
}

u64 coalesce(Counts& c, LineTiming& at) {
    const u64 waits = coalesce_loads(c.global_load, at);
    coalesce_stores(c.global_store, at, c.global_atomic.sectors);
    return waits;
}

/// The same work with all lanes of each warp. `full`: lanes of a warp that has all of its threads.
void fill_warps(Counts& c, LineTiming& at, double full) {
    const double instructions = number(c.thread_instructions) / full;
    const double by = std::min(1.0, instructions / std::max(number(c.warp_instructions), 1.0));
    scale(c.warp_instructions, by);
    scale(at.issue_slots, by);
    for (u64& n : c.by_class) scale(n, by);
    // Requests that become one lie beside each other, as far as the bytes allow.
    const auto compact = [&](Traffic& t) {
        if (t.requests == 0) return 1.0;
        const double fewer = std::min(1.0, number(t.lanes) / full / number(t.requests));
        const double least = std::min(number(t.sectors), number(t.bytes) / sector_bytes);
        scale(t.requests, fewer);
        scale(t.wavefronts, fewer);
        scale(t.ideal, fewer);
        t.sectors = rounded(std::max(number(t.sectors) * fewer, least));
        return fewer;
    };
    const auto fewer_lines = [](u64& lines, double fewer, u64 bytes) {
        const double least = std::min(number(lines), number(bytes) / line_bytes);
        lines = rounded(std::max(number(lines) * fewer, least));
    };
    fewer_lines(at.lines, compact(c.global_load), c.global_load.bytes);
    at.passes = std::min(at.passes, at.lines);
    fewer_lines(at.stored_lines, compact(c.global_store), c.global_store.bytes);
    for (const auto t : {&Counts::global_atomic, &Counts::shared_load, &Counts::shared_store,
                         &Counts::shared_atomic})
        compact(c.*t);
    at.missed_requests = std::min(at.missed_requests, c.global_load.requests);
}

/// Keeps a part of what is read from global memory, and reads the rest from shared memory.
void keep_in_shared(KernelCounts& k, double keep, bool stores_too) {
    const TimingCounts before = *k.timing;
    for (auto& [line, c] : k.lines) {
        LineTiming& at = k.line_timing[line];
        const auto move = [&](Traffic& from, Traffic& to) {
            if (from.requests == 0) return;
            Traffic moved = from;
            scale(moved, 1 - keep);
            // A request of a warp for neighbouring words is one pass for each 128 bytes.
            moved.ideal = moved.wavefronts =
                std::max(moved.requests, rounded(number(moved.bytes) / line_bytes));
            moved.sectors = 0;
            scale(from, keep);
            to += moved;
        };
        move(c.global_load, c.shared_load);
        for (u64* n : {&at.lines, &at.passes, &at.missed_requests, &at.missed_lines,
                       &at.missed_sectors, &at.again_sectors, &at.again_reach})
            scale(*n, keep);
        if (!stores_too) continue;
        scale(at.stored_lines, part(c.global_atomic.sectors,
                                    c.global_atomic.sectors + c.global_store.sectors));
        at.stored_lines += rounded(number(c.global_store.sectors) / 4 * keep);
        move(c.global_store, c.shared_store);
    }
    add_up(k);
    TimingCounts& t = *k.timing;
    t.waits = rounded(number(before.waits) * keep);
    t.shared_waits = before.shared_waits + before.waits - t.waits;
    const double warps = std::max(1.0, threads_of(k) / warp);
    const auto requests = k.total.shared_load.requests + k.total.shared_store.requests +
                          k.total.shared_atomic.requests;
    t.busiest_shared_requests =
        std::max(t.busiest_shared_requests, rounded(number(requests) / warps));
    t.busiest_block_shared = std::max(
        t.busiest_block_shared,
        rounded(number(requests) / std::max(1.0, number(k.blocks) / number(k.launches))));
}

// --- edits of a kernel

double resident_blocks(const Device& d, double threads, u64 shared_bytes) {
    const emulator::protocol::Multiprocessor one{
        .threads = static_cast<u64>(d.threads),
        .blocks = static_cast<u64>(d.blocks),
        .shared_bytes = static_cast<u64>(d.shared_kib * 1024),
        .reserved_shared_bytes = 1024};
    return std::max(1.0, number(emulator::protocol::resident_blocks(
                             one, static_cast<u64>(threads), shared_bytes)
                                    .count));
}

/// How many threads could share the work: as many as reach the memory access that most reach.
double parallel_items(const KernelCounts& k) {
    u64 most = 0;
    for (const auto& [line, c] : k.lines)
        most = std::max({most, c.global_load.lanes, c.global_store.lanes, c.global_atomic.lanes});
    return number(most) / std::max(number(k.launches), 1.0);
}

void spread_over_blocks(KernelCounts& k, double blocks, double threads) {
    const double launches = std::max(number(k.launches), 1.0);
    k.block = {static_cast<std::uint32_t>(threads), 1, 1};
    k.blocks = rounded(blocks * launches);
    k.threads = rounded(blocks * launches * threads);
    const double warps = std::ceil(threads / warp);
    const Counts& c = k.total;
    const double global = number(c.global_load.requests + c.global_store.requests +
                                 c.global_atomic.requests);
    const double shared = number(c.shared_load.requests + c.shared_store.requests +
                                 c.shared_atomic.requests);
    TimingCounts& t = *k.timing;
    t.busiest_global_requests = rounded(global / warps);
    t.busiest_shared_requests = rounded(shared / warps);
    t.busiest_block_global = rounded(global / blocks);
    t.busiest_block_shared = rounded(shared / blocks);
}

double threads_of_full_block(const KernelCounts& k) {
    return threads_of(k) >= usual_block / 2 ? threads_of(k) : usual_block;
}

double full_grid(const Device& d, const Sample& sample, const KernelCounts& k, double threads) {
    const double most =
        sample.multiprocessors * resident_blocks(d, threads, k.shared_bytes);
    return std::clamp(std::ceil(parallel_items(k) / threads), 1.0, most);
}

/// What each block of a kernel does whatever the size of the data: it clears its part of shared
/// memory, and adds its result to those of the others.
class FixedWork {
public:
    /// Of a kernel that has as many blocks at both sizes; else nothing is known, and it is empty.
    FixedWork(const KernelCounts* small, const KernelCounts& larger, double small_elements,
              double larger_elements)
        : grown_(larger_elements / std::max(larger_elements - small_elements, 1.0)) {
        const auto blocks = [](const KernelCounts& k) {
            return number(k.blocks) / std::max(number(k.launches), 1.0);
        };
        if (small == nullptr || !small->timing || blocks(*small) != blocks(larger) ||
            small_elements >= larger_elements || larger.blocks == 0)
            return;
        blocks_ = number(larger.blocks);
        for (const auto& [line, counts] : larger.lines) {
            const auto in_small = small->lines.find(line);
            if (in_small == small->lines.end()) continue;
            Counts fixed;
            for_each_number([&](u64& out, const u64& a, const u64& b) { out = at_none(a, b); },
                            fixed, in_small->second, counts);
            lines_[line] = fixed;
            const auto t = larger.line_timing.find(line);
            const auto in_small_t = small->line_timing.find(line);
            if (t == larger.line_timing.end() || in_small_t == small->line_timing.end()) continue;
            for (const auto n : timing_numbers)
                timing_[line].*n = at_none(in_small_t->second.*n, t->second.*n);
        }
        total_.waits = at_none(small->timing->waits, larger.timing->waits);
        total_.shared_waits = at_none(small->timing->shared_waits, larger.timing->shared_waits);
        for (const auto kind : kinds_of_atomics)
            for (const auto n : atomic_numbers)
                total_.*kind.*n =
                    at_none((*small->timing).*kind.*n, (*larger.timing).*kind.*n);
    }

    /// Adds that of so many blocks more.
    void add(KernelCounts& k, double blocks) const {
        if (blocks_ == 0 || blocks <= 0) return;
        const double by = blocks / blocks_;
        const auto more = [by](u64& to, const u64& fixed) { to += rounded(number(fixed) * by); };
        const TimingCounts before = *k.timing;
        for (auto& [line, counts] : k.lines) {
            if (const auto fixed = lines_.find(line); fixed != lines_.end())
                for_each_number(more, counts, fixed->second);
            if (const auto fixed = timing_.find(line); fixed != timing_.end())
                for (const auto n : timing_numbers) more(k.line_timing[line].*n, fixed->second.*n);
        }
        add_up(k);
        TimingCounts& t = *k.timing;
        t.waits = before.waits;
        t.shared_waits = before.shared_waits;
        more(t.waits, total_.waits);
        more(t.shared_waits, total_.shared_waits);
        for (const auto kind : kinds_of_atomics)
            for (const auto n : atomic_numbers) more(t.*kind.*n, total_.*kind.*n);
    }

private:
    /// The line through two sizes, continued to no data at all.
    [[nodiscard]] u64 at_none(u64 small, u64 larger) const {
        return small >= larger ? larger : rounded(number(larger) - number(larger - small) * grown_);
    }
    double grown_;
    double blocks_ = 0;
    std::map<Line, Counts> lines_;
    std::map<Line, LineTiming> timing_;
    TimingCounts total_;
};

void fill_device(const Device& d, const FixedWork& of_each, const Sample& sample, KernelCounts& k) {
    const double blocks_before = number(k.blocks);
    if (threads_of(k) < warp) {
        // One lane's accesses that follow each other become neighbouring lanes' accesses.
        for (auto& [line, c] : k.lines) {
            LineTiming& at = k.line_timing[line];
            fill_warps(c, at, warp);
            coalesce(c, at);
        }
        add_up(k);
    }
    const double threads = threads_of_full_block(k);
    const double blocks = full_grid(d, sample, k, threads);
    of_each.add(k, blocks * std::max(number(k.launches), 1.0) - blocks_before);
    spread_over_blocks(k, blocks, threads);
}

/// Each block combines its atomics on one address in shared memory, and does one for all of them.
/// `fewer_blocks`: the blocks are more than the device holds at a time.
void combine_atomics(const Device& d, bool fewer_blocks, const Sample& sample, KernelCounts& k) {
    const double launches = std::max(number(k.launches), 1.0);
    const double lanes = number(k.total.global_atomic.lanes);
    if (lanes == 0) return;
    const double addresses = std::max(
        1.0, lanes / launches / std::max(number(k.most_atomics_on_one_address), 1.0));
    // Blocks that each have their own copy of many results have to be few.
    if (addresses > 1 && fewer_blocks) {
        const double threads = threads_of_full_block(k);
        spread_over_blocks(k, full_grid(d, sample, k, threads), threads);
    }
    const double by_each = number(k.blocks) / launches;
    const double left = std::min(1.0, by_each * addresses * launches / lanes);
    // Lanes that meet at one word of shared memory take turns; two lanes of a warp often do where
    // addresses are many. A tree of additions in a block takes about two passes for each request.
    const double passes = addresses < 2 ? 2 : std::max(3.5, warp / addresses);
    double swap_rounds = 0;
    for (auto& [line, c] : k.lines) {
        Traffic& global = c.global_atomic;
        if (global.requests == 0) continue;
        LineTiming& at = k.line_timing[line];
        Traffic shared = global;
        shared.sectors = 0;
        shared.wavefronts = rounded(number(shared.requests) * passes);
        c.shared_atomic += shared;
        // What is left of them adds neighbouring results.
        const double of_atomics = part(global.sectors, global.sectors + c.global_store.sectors);
        const double lines = number(at.stored_lines) * of_atomics;
        scale(global, left);
        const double together = number(global.lanes) / std::clamp(addresses, 1.0, warp);
        global.requests = std::min(global.requests, rounded(together));
        at.stored_lines =
            rounded(number(at.stored_lines) - lines + std::min(lines * left, together));
        if (addresses >= 2) {
            const double rounds = number(at.global_swap_rounds) * (1 - left);
            swap_rounds += rounds;
            at.issue_slots += rounded(rounds * number(emulator::slots_of_a_swap));
            at.shared_swaps += rounded(number(at.global_swaps) * (1 - left));
        }
        at.global_swaps = at.global_swap_rounds = 0;
    }
    add_up(k);
    const double in_a_sector = std::clamp(addresses, 1.0, 8.0);
    TimingCounts& t = *k.timing;
    t.shared_waits += rounded(swap_rounds * number(emulator::waits_of_a_swap));
    for (AtomicLoad* a : {&t.integer32, &t.integer64, &t.floating, &t.swaps}) {
        if (a->sectors == 0) continue;
        const double each = by_each * launches;
        a->sectors = std::min(a->sectors, rounded(lanes * left / in_a_sector));
        a->most_on_one_address = std::min(a->most_on_one_address, rounded(each));
        a->most_in_one_kib = std::min(
            a->most_in_one_kib, rounded(each * std::clamp(addresses / in_a_sector, 1.0, 32.0)));
    }
}

void merge_launches(const Sample& sample, KernelCounts& k) {
    const double launches = number(k.launches);
    if (launches <= 1 || k.distinct_global_bytes == 0) return;
    // Launches on slices of the data touch all of them once together; those that pass over all of
    // the data, many times.
    const u64 merged = std::clamp(sample.counts.distinct_bytes, k.most_global_bytes,
                                  std::max(k.most_global_bytes, k.distinct_global_bytes));
    const double keep = part(merged, k.distinct_global_bytes);
    keep_in_shared(k, keep, true);
    k.distinct_global_bytes = k.most_global_bytes = merged;
    k.rewritten_global_bytes = 0;
    k.launches = 1;
    k.total.host_launches = std::min<u64>(k.total.host_launches, 1);
    scale(k.blocks, std::max(keep, 1 / launches));
    scale(k.threads, std::max(keep, 1 / launches));
}

/// The part of what is loaded that would be if each byte were loaded once.
double distinct_part(const KernelCounts& k) {
    const double loaded = number(k.total.global_load.bytes);
    const double touched = number(k.distinct_global_bytes);
    const double read = std::max(touched - number(k.total.global_store.bytes), touched / 2);
    return loaded > 0 ? std::min(1.0, read / loaded) : 1;
}

/// How many threads read the same data, if nearly all data are read by lanes that all read one word,
/// as when each thread looks for what is its own; else 0.
double threads_that_read_the_same(const KernelCounts& k) {
    const double touched = number(k.distinct_global_bytes);
    const double read = std::max(touched - number(k.total.global_store.bytes), touched / 2);
    double by_threads = 0, words = 0, by_others = 0;
    for (const auto& [line, c] : k.lines) {
        const Traffic& t = c.global_load;
        if (t.requests == 0) continue;
        const double word = number(t.bytes) / number(t.lanes);
        // Neighbouring bytes lie in one sector, too, but then each of them is touched only once.
        const bool is_one_word =
            number(t.lanes) > warp / 2 * number(t.requests) &&
            number(t.sectors) < 1.01 * number(t.requests) &&
            (word > 1 || number(t.bytes) > 4 * number(k.distinct_global_bytes));
        if (is_one_word) {
            by_threads += number(t.bytes);
            words += word * number(t.requests);
        } else {
            by_others += number(t.bytes);
        }
    }
    if (read <= 0 || words < read / 2 || by_others > read / 2) return 0;
    return by_threads / read;
}

void scale_work(KernelCounts& k, double by) {
    for (auto& [line, c] : k.lines) {
        for_each_number([by](u64& n) { scale(n, by); }, c);
        for (const auto n : timing_numbers) scale(k.line_timing[line].*n, by);
    }
    add_up(k);
}

// --- candidates

using Edit = std::function<void(const Sample&, KernelCounts&)>;
using SampleEdit = std::function<void(Sample&)>;

SampleEdit of_kernel(const std::string& kernel, Edit edit) {
    return [kernel, edit = std::move(edit)](Sample& sample) {
        for (KernelCounts& k : sample.counts.kernels)
            if (k.kernel == kernel && k.timing) edit(sample, k);
    };
}

double waste_of_sectors(const Traffic& t) {
    const double least = number(least_sectors(t));
    return number(t.sectors) > 1.25 * least ? number(t.sectors) - least : 0;
}

double wasted_sectors(const Counts& c) {
    return waste_of_sectors(c.global_load) + waste_of_sectors(c.global_store);
}

double wasted_passes(const Counts& c) {
    double waste = 0;
    for (const Traffic* t : {&c.shared_load, &c.shared_store, &c.shared_atomic})
        if (number(t->wavefronts) > 1.25 * number(t->ideal))
            waste += number(t->wavefronts - t->ideal);
    return waste;
}

u64 without_conflicts(Counts& c, LineTiming&) {
    for (Traffic* t : {&c.shared_load, &c.shared_store, &c.shared_atomic}) t->wavefronts = t->ideal;
    return 0;
}

/// What is asked for, and the counts that an answer rests on.
struct Question {
    const Device& device;
    const Calibration& constants;
    Samples samples;
    double elements;
    std::optional<Cautious> cautious;
    const std::set<Line>& scattered;
    /// Kernels whose threads all read the same. Asked of the real counts only: bytes that lanes read
    /// side by side look the same once they are coalesced.
    std::set<std::string> redundant;

    [[nodiscard]] Prediction predicted() const {
        return predict(device, constants, samples, elements, cautious ? &*cautious : nullptr);
    }
    [[nodiscard]] Question with(const SampleEdit& edit) const {
        Question out = *this;
        for (Sample& sample : out.samples) edit(sample);
        if (out.cautious && out.cautious->between) edit(*out.cautious->between);
        return out;
    }
};

struct Found {
    WhatIf what;
    SampleEdit edit;
};

/// Tries everything with the counts of one question.
class Search {
public:
    explicit Search(const Question& question) : question_(question), now_(question.predicted()) {}

    std::vector<Found> all() {
        for (const KernelCounts& k : question_.samples[1].counts.kernels)
            if (k.timing && matters(k)) try_kernel(k);
        try_host();
        std::ranges::stable_sort(found_, {}, [](const Found& one) { return one.what.us; });
        return std::move(found_);
    }
    [[nodiscard]] double us() const { return now_.us; }

private:
    /// No edit of a kernel gains more than its time.
    [[nodiscard]] bool matters(const KernelCounts& k) const {
        constexpr double least = 0.05;  // chosen: two of these are a gain that is told
        const auto time = std::ranges::find(now_.kernels, k.kernel, &KernelTime::kernel);
        return time != now_.kernels.end() && time->us >= least * now_.us;
    }
    [[nodiscard]] double device_holds(const KernelCounts& k) const {
        const Device& d = question_.device;
        return d.multiprocessors * resident_blocks(d, threads_of_full_block(k), k.shared_bytes);
    }
    void add(WhatIf what, SampleEdit edit) {
        what.us = question_.with(edit).predicted().us;
        found_.push_back({std::move(what), std::move(edit)});
    }
    void add(WhatIf what, Edit edit) {
        SampleEdit of = of_kernel(what.kernel, std::move(edit));
        add(std::move(what), std::move(of));
    }

    using Waste = double (*)(const Counts&);
    /// The lines that waste something, the costliest first.
    static std::vector<Line> lines_with(const KernelCounts& k, Waste waste) {
        std::vector<Line> out;
        for (const auto& [line, c] : k.lines)
            if (waste(c) > 0 && line.number > 0) out.push_back(line);
        std::ranges::stable_sort(out, std::greater<>(),
                                 [&](const Line& line) { return waste(k.lines.at(line)); });
        constexpr std::size_t most = 16;  // chosen: more than one edit would reach
        if (out.size() > most) out.resize(most);
        return out;
    }
    static std::vector<Line> costliest(const KernelCounts& k, Waste waste) {
        std::vector<Line> lines = lines_with(k, waste);
        if (lines.size() > 1) lines.resize(1);
        return lines;
    }

    /// One index is often used in several lines, and one edit mends them all. If mending the
    /// costliest lines alone does as much, it is about those.
    void add_for_lines(WhatIf what, std::vector<Line> lines, u64 (*mend)(Counts&, LineTiming&)) {
        const auto on = [&](const std::vector<Line>& those) {
            return of_kernel(what.kernel, [mend, those](const Sample&, KernelCounts& k) {
                u64 waits = 0;
                for (const Line& line : those)
                    if (const auto at = k.lines.find(line); at != k.lines.end())
                        waits += mend(at->second, k.line_timing[line]);
                add_up(k);
                // Loads of a halo stay together, whoever takes which element.
                if (number(k.total.global_load.bytes) > 2 * number(k.distinct_global_bytes)) return;
                k.timing->waits = std::max(k.timing->waits, waits);
                k.timing->missed_waits = std::max(k.timing->missed_waits, waits);
            });
        };
        const auto us = [&](const std::vector<Line>& those) {
            return question_.with(on(those)).predicted().us;
        };
        constexpr double as_good = 1.05;  // chosen
        const double all = us(lines);
        while (lines.size() > 1) {
            const std::vector<Line> fewer(lines.begin(), lines.end() - 1);
            if (us(fewer) > all * as_good) break;
            lines = fewer;
        }
        SampleEdit edit = on(lines);
        what.lines = std::move(lines);
        add(std::move(what), std::move(edit));
    }

    void try_lines(const KernelCounts& k) {
        auto strided = lines_with(k, wasted_sectors);
        std::erase_if(strided, [&](const Line& one) { return question_.scattered.contains(one); });
        if (!strided.empty()) {
            const Counts& worst = k.lines.at(strided.front());
            const Traffic& t =
                waste_of_sectors(worst.global_load) >= waste_of_sectors(worst.global_store)
                    ? worst.global_load
                    : worst.global_store;
            add_for_lines({.ideal = Ideal::coalesced,
                           .kernel = k.kernel,
                           .lines = {},
                           .is = part(t.sectors, t.requests),
                           .could_be = part(least_sectors(t), t.requests),
                           .threads = 0,
                           .next = {}},
                          strided, coalesce);
        }
        if (const auto lines = lines_with(k, wasted_passes); !lines.empty()) {
            Traffic t = k.lines.at(lines.front()).shared_load;
            t += k.lines.at(lines.front()).shared_store;
            t += k.lines.at(lines.front()).shared_atomic;
            add_for_lines({.ideal = Ideal::no_conflicts,
                           .kernel = k.kernel,
                           .lines = {},
                           .is = part(t.wavefronts, t.requests),
                           .could_be = part(t.ideal, t.requests),
                           .threads = 0,
                           .next = {}},
                          lines, without_conflicts);
        }
    }

    void try_divergence(const KernelCounts& k) {
        const double threads = threads_of(k);
        const double full = threads / std::ceil(threads / warp);
        const double active = number(k.total.thread_instructions) /
                              std::max(number(k.total.warp_instructions), 1.0);
        if (k.total.divergent_branches == 0 || active > 0.9 * full) return;
        add({.ideal = Ideal::no_divergence,
             .kernel = k.kernel,
             .lines = costliest(k, [](const Counts& c) { return number(c.divergent_branches); }),
             .is = active,
             .could_be = full,
             .threads = 0,
             .next = {}},
            [full](const Sample&, KernelCounts& of) {
                for (auto& [line, c] : of.lines) fill_warps(c, of.line_timing[line], full);
                add_up(of);
            });
    }

    void try_grid(const KernelCounts& k) {
        const auto fixed = std::make_shared<FixedWork>(
            in_small(k), k, question_.samples[0].elements, question_.samples[1].elements);
        const auto time = std::ranges::find(now_.kernels, k.kernel, &KernelTime::kernel);
        add({.ideal = Ideal::full_device,
             .kernel = k.kernel,
             .lines = {},
             .is = time == now_.kernels.end() ? 0 : time->blocks,
             .could_be = device_holds(k),
             .threads = threads_of(k),
             .next = {}},
            [device = question_.device, fixed](const Sample& s, KernelCounts& of) {
                fill_device(device, *fixed, s, of);
            });
        const double launches = time == now_.kernels.end() ? 1 : time->launches;
        if (launches >= 2)
            add({.ideal = Ideal::one_launch,
                 .kernel = k.kernel,
                 .lines = {},
                 .is = launches,
                 .could_be = 1,
                 .threads = 0,
                 .next = {}},
                merge_launches);
    }

    void try_kernel(const KernelCounts& k) {
        try_lines(k);
        try_divergence(k);
        try_grid(k);
        const auto time = std::ranges::find(now_.kernels, k.kernel, &KernelTime::kernel);
        const bool fewer_blocks = time != now_.kernels.end() && time->blocks > device_holds(k);
        if (k.total.global_atomic.lanes > 0)
            add({.ideal = Ideal::combined_atomics,
                 .kernel = k.kernel,
                 .lines = costliest(
                     k, [](const Counts& c) { return number(c.global_atomic.lanes); }),
                 .is = number(k.total.global_atomic.lanes) / std::max(number(k.blocks), 1.0),
                 .threads = 0,
                 .next = {}},
                [device = question_.device, fewer_blocks](const Sample& s, KernelCounts& of) {
                    combine_atomics(device, fewer_blocks, s, of);
                });
        const double readers = threads_that_read_the_same(k);
        if (readers >= warp && question_.redundant.contains(k.kernel)) {
            add({.ideal = Ideal::divided_work,
                 .kernel = k.kernel,
                 .lines = costliest(k, [](const Counts& c) { return number(c.global_load.bytes); }),
                 .is = readers,
                 .could_be = 1,
                 .threads = 0,
                 .next = {}},
                [](const Sample&, KernelCounts& of) {
                    const double same = threads_that_read_the_same(of);
                    if (same > 1) scale_work(of, 1 / same);
                });
            return;
        }
        const double once = distinct_part(k);
        if (once > 0.5) return;
        const bool faster_than_data = grows_faster_than_data(k);
        add({.ideal = faster_than_data ? Ideal::linear_work : Ideal::read_once,
             .kernel = k.kernel,
             .lines = costliest(k, [](const Counts& c) { return number(c.global_load.bytes); }),
             .is = 1 / once,
             .could_be = 1,
             .threads = 0,
             .next = {}},
            [faster_than_data](const Sample&, KernelCounts& of) {
                const double keep = distinct_part(of);
                if (faster_than_data)
                    scale_work(of, keep);
                else
                    keep_in_shared(of, keep, false);
            });
    }

    [[nodiscard]] const KernelCounts* in_small(const KernelCounts& larger) const {
        const auto& kernels = question_.samples[0].counts.kernels;
        const auto small = std::ranges::find(kernels, larger.kernel, &KernelCounts::kernel);
        return small == kernels.end() ? nullptr : &*small;
    }

    [[nodiscard]] bool grows_faster_than_data(const KernelCounts& larger) const {
        constexpr double faster = 1.25;  // chosen: between n log n and n * sqrt(n)
        const Samples& s = question_.samples;
        const KernelCounts* small = in_small(larger);
        if (small == nullptr || s[1].elements <= s[0].elements) return false;
        const double grown = part(larger.total.thread_instructions,
                                  std::max<u64>(small->total.thread_instructions, 1));
        return std::log(grown) > faster * std::log(s[1].elements / s[0].elements);
    }

    void try_host() {
        const HostCounts& h = question_.samples[1].counts.host;
        if (h.releases > 0)
            add({.ideal = Ideal::no_allocations,
                 .kernel = {},
                 .lines = {},
                 .is = number(h.releases),
                 .threads = 0,
                 .next = {}},
                [](Sample& sample) {
                    // The model sees a first call: memory that is kept is allocated in it.
                    sample.counts.host.releases = 0;
                });
        if (h.writes + h.reads + h.shown_bytes > 0)
            add({.ideal = Ideal::no_transfers,
                 .kernel = {},
                 .lines = {},
                 .is = number(h.writes + h.reads),
                 .threads = 0,
                 .next = {}},
                [](Sample& sample) {
                    for (const auto n : {&HostCounts::writes, &HostCounts::written_bytes,
                                         &HostCounts::reads, &HostCounts::read_bytes,
                                         &HostCounts::shown_bytes})
                        sample.counts.host.*n = 0;
                });
    }

    const Question& question_;
    Prediction now_;
    std::vector<Found> found_;
};

/// What gains most when that is done.
std::vector<WhatIf> next_after(const Found& first, const Question& question, double least_gain) {
    const Question then = question.with(first.edit);
    Search search(then);
    const double us = search.us();
    for (Found& one : search.all())
        if (one.what.us < us * (1 - least_gain)) return {std::move(one.what)};
    return {};
}

}  // namespace

std::vector<WhatIf> what_ifs(const Device& device, const Calibration& constants,
                             const Samples& samples, double elements, const Cautious* cautious,
                             const std::set<Line>& scattered, double least_gain) {
    Question question{device,
                      constants,
                      samples,
                      elements,
                      cautious == nullptr ? std::nullopt : std::optional(*cautious),
                      scattered,
                      {}};
    for (const KernelCounts& k : samples[1].counts.kernels)
        if (k.timing && threads_that_read_the_same(k) >= warp) question.redundant.insert(k.kernel);
    Search search(question);
    const double enough = search.us() * (1 - least_gain);
    std::vector<WhatIf> out;
    const std::vector<Found> found = search.all();
    for (const Found& one : found) {
        if (one.what.us > enough) break;
        out.push_back(one.what);
        if (out.size() == 1) out.front().next = next_after(one, question, least_gain);
    }
    if (!out.empty()) return out;
    // Two things may cost the same, so that neither alone gains anything.
    for (const Found& one : found) {
        std::vector<WhatIf> next = next_after(one, question, least_gain);
        if (next.empty() || next.front().us > enough) continue;
        if (!out.empty() && out.front().next.front().us <= next.front().us) continue;
        out = {one.what};
        out.front().next = std::move(next);
    }
    return out;
}

}  // namespace cugrade::model

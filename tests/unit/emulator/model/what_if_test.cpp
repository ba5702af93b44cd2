// Counterfactuals of kernels whose ideal is known: the prediction has to be the time of the ideal
// kernel, counted in its own right.
#include "emulator/model/what_if.hpp"

#include <algorithm>

#include "catch.hpp"

using namespace cugrade;
using namespace cugrade::model;
using emulator::Counts;
using emulator::KernelCounts;
using emulator::LineTiming;

namespace {

const emulator::Line load{"a.cu", 7}, store{"a.cu", 8}, shared{"a.cu", 9};

Device device() {
    return {.id = "h200",
            .name = "NVIDIA H200",
            .multiprocessors = 132,
            .clock_ghz = 1.98,
            .threads = 2048,
            .blocks = 32,
            .shared_kib = 228,
            .fp64_lanes = 64,
            .dram_gb_s = 4800,
            .l2_mib = 50,
            .l2_bytes_per_clock = 5120,
            .host_gb_s = 64};
}

/// Fills in the sums of what the lines did.
KernelCounts summed(KernelCounts k) {
    const std::uint64_t host_launches = k.total.host_launches;
    k.total = {};
    for (const auto& [line, counts] : k.lines) k.total += counts;
    k.total.host_launches = host_launches;
    LineTiming all;
    for (const auto& [line, timing] : k.line_timing) all += timing;
    auto& t = *k.timing;
    t.lines = all.lines + all.stored_lines;
    t.stored_lines = all.stored_lines;
    t.missed_requests = all.missed_requests;
    t.missed_lines = all.missed_lines;
    t.missed_sectors = all.missed_sectors;
    t.issue_slots = all.issue_slots;
    return k;
}

/// Copies n floats in a grid of `blocks` blocks of 256 threads.
KernelCounts copy(std::uint64_t n, std::uint64_t blocks) {
    const std::uint64_t warps = n / 32;
    KernelCounts k;
    k.kernel = "copy(float const*, float*)";
    k.launches = k.total.host_launches = 1;
    k.blocks = blocks;
    k.threads = 256 * blocks;
    k.block = {256, 1, 1};
    k.distinct_global_bytes = k.most_global_bytes = 8 * n;
    Counts& l = k.lines[load];
    l.warp_instructions = 6 * warps;
    l.thread_instructions = 6 * n;
    l.global_load = {.requests = warps, .lanes = n, .bytes = 4 * n, .sectors = 4 * warps};
    k.line_timing[load] = {.lines = warps,
                           .missed_requests = warps,
                           .missed_lines = warps,
                           .missed_sectors = 4 * warps,
                           .issue_slots = 6 * warps};
    Counts& s = k.lines[store];
    s.warp_instructions = 2 * warps;
    s.thread_instructions = 2 * n;
    s.global_store = l.global_load;
    k.line_timing[store] = {.stored_lines = warps, .issue_slots = 2 * warps};
    auto& t = k.timing.emplace();
    t.waits = t.missed_waits = warps;
    t.busiest_global_requests = 2 * warps / 8;
    t.busiest_block_global = 2 * warps / blocks;
    return summed(k);
}

/// Blocks that fill a device of so many multiprocessors.
std::uint64_t full(double multiprocessors) { return static_cast<std::uint64_t>(8 * multiprocessors); }

template <class Make>
Samples samples(Make make) {
    Samples out;
    for (std::size_t k = 0; k < out.size(); ++k) {
        const std::uint64_t n = k == 0 ? 1 << 16 : 1 << 18;
        out[k].elements = static_cast<double>(n);
        out[k].multiprocessors = k == 2 ? 4.0 : 2.0;
        out[k].counts.kernels = {make(n, out[k].multiprocessors)};
        out[k].counts.distinct_bytes = out[k].counts.kernels[0].distinct_global_bytes;
    }
    return out;
}

constexpr double large = 1 << 26;

template <class Make>
std::vector<WhatIf> found(Make make) {
    return what_ifs(device(), {}, samples(make), large, nullptr);
}

template <class Make>
double us(Make make) {
    return predict(device(), {}, samples(make), large).us;
}

const WhatIf* find(const std::vector<WhatIf>& all, Ideal ideal) {
    const auto at = std::ranges::find(all, ideal, &WhatIf::ideal);
    return at == all.end() ? nullptr : &*at;
}

KernelCounts good(std::uint64_t n, double multiprocessors) { return copy(n, full(multiprocessors)); }

KernelCounts strided(std::uint64_t n, double multiprocessors) {
    KernelCounts k = good(n, multiprocessors);
    Counts& l = k.lines[load];
    l.global_load.sectors = 8 * l.global_load.sectors;
    LineTiming& t = k.line_timing[load];
    t.lines *= 32;
    t.missed_lines *= 32;
    t.missed_sectors *= 8;
    return summed(k);
}

}  // namespace

TEST_CASE("a copy that moves what it has to gains nothing") { CHECK(found(good).empty()); }

TEST_CASE("coalesced loads still move all bytes, and the line is named") {
    const auto all = found(strided);
    REQUIRE(!all.empty());
    CHECK(all.front().ideal == Ideal::coalesced);
    CHECK(all.front().lines == std::vector{load});
    CHECK(all.front().is == Approx(32));
    CHECK(all.front().could_be == Approx(4));
    CHECK(all.front().us == Approx(us(good)).epsilon(0.02));
    CHECK(us(strided) > 2 * us(good));
}

TEST_CASE("one block comes out before its accesses, and those next") {
    const auto one = [](std::uint64_t n, double) { return copy(n, 1); };
    const auto all = found(one);
    REQUIRE(!all.empty());
    CHECK(all.front().ideal == Ideal::full_device);
    CHECK(all.front().lines.empty());
    CHECK(all.front().is == Approx(1));
    CHECK(all.front().could_be == Approx(132 * 8));
    CHECK(all.front().threads == Approx(256));
    CHECK(all.front().us == Approx(us(good)).epsilon(0.02));

    const auto both = [](std::uint64_t n, double) {
        KernelCounts k = strided(n, 2);
        const KernelCounts of_one = copy(n, 1);
        k.blocks = of_one.blocks;
        k.threads = of_one.threads;
        k.timing->busiest_block_global = of_one.timing->busiest_block_global;
        return k;
    };
    const auto two = found(both);
    REQUIRE(!two.empty());
    CHECK(two.front().ideal == Ideal::full_device);
    REQUIRE(two.front().next.size() == 1);
    CHECK(two.front().next.front().ideal == Ideal::coalesced);
    CHECK(two.front().next.front().us == Approx(us(good)).epsilon(0.02));
}

TEST_CASE("what each block does whatever the size is done by each block of a full grid") {
    // Each block adds 256 results of its own to global memory.
    const auto adds = [](std::uint64_t n, std::uint64_t blocks) {
        KernelCounts k = copy(n, blocks);
        Counts& c = k.lines[shared];
        c.warp_instructions = 8 * blocks;
        c.thread_instructions = 256 * blocks;
        c.global_atomic = {.requests = 8 * blocks,
                           .lanes = 256 * blocks,
                           .bytes = 1024 * blocks,
                           .sectors = 32 * blocks};
        k.line_timing[shared] = {.stored_lines = 8 * blocks, .issue_slots = 800 * blocks};
        k.most_atomics_on_one_address = blocks;
        k.timing->integer32 = {.sectors = 32 * blocks,
                               .most_on_one_address = blocks,
                               .most_in_one_kib = 3200 * blocks};
        return summed(k);
    };
    const auto all = found([&](std::uint64_t n, double) { return adds(n, 1); });
    const auto ideal = [&](std::uint64_t n, double m) { return adds(n, full(m)); };
    REQUIRE(!all.empty());
    CHECK(all.front().ideal == Ideal::full_device);
    CHECK(us(ideal) > 2 * us(good));
    CHECK(all.front().us == Approx(us(ideal)).epsilon(0.05));
}

TEST_CASE("bank conflicts, diverging warps and atomics on one address") {
    const auto conflicts = [](std::uint64_t n, double m) {
        KernelCounts k = good(n, m);
        Counts& c = k.lines[shared];
        c.warp_instructions = n / 32;
        c.thread_instructions = n;
        c.shared_load = {.requests = n / 32,
                         .lanes = n,
                         .bytes = 4 * n,
                         .sectors = 0,
                         .wavefronts = n,
                         .ideal = n / 32};
        k.line_timing[shared].issue_slots = n / 32;
        return summed(k);
    };
    auto all = found(conflicts);
    REQUIRE(!all.empty());
    CHECK(all.front().ideal == Ideal::no_conflicts);
    CHECK(all.front().lines == std::vector{shared});
    CHECK(all.front().is == Approx(32));

    const auto computes = [](std::uint64_t n, double m, std::uint64_t instructions) {
        KernelCounts k = good(n, m);
        Counts& c = k.lines[shared];
        c.branches = c.divergent_branches = n / 32;
        c.warp_instructions = instructions * n / 32;
        c.thread_instructions = 200 * n;
        k.line_timing[shared].issue_slots = instructions * n / 32;
        return summed(k);
    };
    const auto diverges = [&](std::uint64_t n, double m) { return computes(n, m, 800); };
    const auto whole_warps = [&](std::uint64_t n, double m) { return computes(n, m, 200); };
    all = found(diverges);
    REQUIRE(!all.empty());
    CHECK(all.front().ideal == Ideal::no_divergence);
    CHECK(all.front().lines == std::vector{shared});
    CHECK(us(diverges) > 3 * us(whole_warps));
    CHECK(all.front().us == Approx(us(whole_warps)).epsilon(0.05));

    const auto atomics = [](std::uint64_t n, double m) {
        KernelCounts k = good(n, m);
        k.lines[store].global_store = {};
        k.lines[store].global_atomic = {
            .requests = n / 32, .lanes = n, .bytes = 8 * n, .sectors = n / 32};
        k.most_atomics_on_one_address = n;
        k.timing->integer64 = {
            .sectors = n / 32, .most_on_one_address = n, .most_in_one_kib = n / 32};
        return summed(k);
    };
    all = found(atomics);
    REQUIRE(!all.empty());
    CHECK(all.front().ideal == Ideal::combined_atomics);
    CHECK(all.front().lines == std::vector{store});
    CHECK(us(atomics) / all.front().us > 100);
}

TEST_CASE("passes over the data become one, and slices of it stay what they are") {
    const auto launched = [](std::uint64_t n, double m, std::uint64_t launches, bool slices) {
        KernelCounts k = good(n, m);
        if (!slices)
            for (auto& [line, c] : k.lines) {
                LineTiming& t = k.line_timing[line];
                for (std::uint64_t* x :
                     {&c.warp_instructions, &c.thread_instructions, &c.global_load.requests,
                      &c.global_load.lanes, &c.global_load.bytes, &c.global_load.sectors,
                      &c.global_store.requests, &c.global_store.lanes, &c.global_store.bytes,
                      &c.global_store.sectors, &t.lines, &t.stored_lines, &t.missed_requests,
                      &t.missed_lines, &t.missed_sectors, &t.issue_slots, &k.timing->waits, &k.timing->missed_waits})
                    *x *= launches;
            }
        k.launches = k.total.host_launches = launches;
        k.blocks *= launches;
        if (slices)
            k.most_global_bytes /= launches;
        else
            k.distinct_global_bytes *= launches;
        return summed(k);
    };
    Samples passes = samples([&](std::uint64_t n, double m) { return launched(n, m, 20, false); });
    for (Sample& s : passes) s.counts.distinct_bytes = s.counts.kernels[0].most_global_bytes;
    const auto all = what_ifs(device(), {}, passes, large, nullptr);
    REQUIRE(!all.empty());
    CHECK(all.front().ideal == Ideal::one_launch);
    CHECK(all.front().is == Approx(20));
    CHECK(predict(device(), {}, passes, large).us / all.front().us > 5);
    const auto slices =
        found([&](std::uint64_t n, double m) { return launched(n, m, 20, true); });
    const WhatIf* merged = find(slices, Ideal::one_launch);
    CHECK((merged == nullptr || merged->us > 0.8 * us(good)));
}

TEST_CASE("work that grows faster than the data comes out first") {
    const auto square = [](std::uint64_t n, double m) {
        KernelCounts k = good(n, m);
        for (auto& [line, c] : k.lines) {
            if (line != load) continue;
            const std::uint64_t times = n / 2;
            for (std::uint64_t* x : {&c.warp_instructions, &c.thread_instructions,
                                     &c.global_load.requests, &c.global_load.lanes,
                                     &c.global_load.bytes, &c.global_load.sectors,
                                     &k.line_timing[line].lines, &k.line_timing[line].issue_slots,
                                     &k.timing->waits})
                *x *= times;
        }
        return summed(k);
    };
    const auto all = found(square);
    REQUIRE(!all.empty());
    CHECK(all.front().ideal == Ideal::linear_work);
    CHECK(all.front().lines == std::vector{load});
    CHECK(us(square) / all.front().us > 1000);
}

TEST_CASE("threads that all read the same data") {
    // A word at a time, which all lanes of each of 64 warps read.
    const auto all_read_all = [](std::uint64_t n, double) {
        KernelCounts k = copy(n, 8);
        Counts& c = k.lines[load];
        LineTiming& t = k.line_timing[load];
        c.warp_instructions = 6 * 64 * n;
        c.thread_instructions = 32 * c.warp_instructions;
        c.global_load = {
            .requests = 64 * n, .lanes = 64 * 32 * n, .bytes = 64 * 128 * n, .sectors = 64 * n};
        t.lines = 64 * n;
        t.issue_slots = c.warp_instructions;
        k.lines.erase(store);
        k.line_timing.erase(store);
        k.distinct_global_bytes = k.most_global_bytes = 4 * n;
        k.timing->waits = 64 * n;
        return summed(k);
    };
    const auto all = found(all_read_all);
    const WhatIf* divided = find(all, Ideal::divided_work);
    REQUIRE(divided != nullptr);
    CHECK(divided->is == Approx(64 * 32));
    CHECK(us(all_read_all) / divided->us > 20);
}

TEST_CASE("copies between host and device are about the host") {
    Samples copies = samples(good);
    for (Sample& s : copies) {
        s.counts.host.reads = 1;
        s.counts.host.read_bytes = static_cast<std::uint64_t>(4 * s.elements);
    }
    const auto all = what_ifs(device(), {}, copies, large, nullptr);
    REQUIRE(!all.empty());
    CHECK(all.front().ideal == Ideal::no_transfers);
    CHECK(all.front().kernel.empty());
    CHECK(all.front().us == Approx(us(good)).epsilon(0.02));
}

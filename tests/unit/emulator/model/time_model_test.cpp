// The time model on kernels whose limits are known: each is made to need much of one unit.
#include "emulator/model/time_model.hpp"

#include "catch.hpp"

using namespace cugrade;
using namespace cugrade::model;
using emulator::KernelCounts;

namespace {

Device h200() {
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

/// Reads and writes n floats, coalesced, eight a thread, in blocks of 256.
KernelCounts copy(std::uint64_t n) {
    KernelCounts k;
    k.kernel = "copy";
    k.launches = k.total.host_launches = 1;
    k.blocks = n / 2048;
    k.threads = n / 8;
    k.block = {256, 1, 1};
    k.distinct_global_bytes = k.most_global_bytes = 8 * n;
    const std::uint64_t warps = n / 32;
    k.total.warp_instructions = 8 * warps;
    k.total.global_load = {.requests = warps, .lanes = n, .bytes = 4 * n, .sectors = 4 * warps};
    k.total.global_store = k.total.global_load;
    auto& t = k.timing.emplace();
    t.waits = t.missed_waits = warps / 8;
    t.lines = 2 * warps;
    t.stored_lines = t.missed_lines = t.missed_requests = warps;
    t.missed_sectors = 4 * warps;
    t.issue_slots = 8 * warps;
    t.busiest_global_requests = 16 * k.blocks;
    return k;
}

/// Of a kernel that has `make(n)` counts for n elements, whatever the multiprocessors.
template <class Make>
Samples samples(Make make) {
    Samples out;
    for (std::size_t k = 0; k < out.size(); ++k) {
        const std::uint64_t n = k == 0 ? 1 << 18 : 1 << 20;
        out[k] = {.elements = static_cast<double>(n),
                  .multiprocessors = k == 2 ? 4.0 : 2.0,
                  .counts = {{make(n)}, {}, {}}};
    }
    return out;
}

template <class Make>
KernelTime time_of(Make make, double elements, Device device = h200()) {
    const Prediction p = predict(device, {}, samples(make), elements);
    REQUIRE(p.kernels.size() == 1);
    return p.kernels.front();
}

constexpr double large = 1 << 26;

}  // namespace

TEST_CASE("counts are continued to other sizes") {
    CHECK(extrapolated(7, 7, 10, 40, 1000) == 7);
    CHECK(extrapolated(10, 40, 10, 40, 1000) == Approx(1000));
    CHECK(extrapolated(15, 45, 10, 40, 1000) == Approx(1005));     // 5 more at every size
    CHECK(extrapolated(100, 1600, 10, 40, 160) == Approx(25600));  // the square
    CHECK(extrapolated(0, 30, 10, 40, 100) == Approx(90));
    CHECK(extrapolated(30, 3, 10, 40, 1000) == 3);  // less work at larger sizes is not believed
}

TEST_CASE("a copy takes its bytes over the bandwidth") {
    const KernelTime k = time_of(copy, large);
    CHECK(k.bound() == "DRAM");
    const double floor = 8 * large / 4800e3;
    CHECK(k.us > floor);
    CHECK(k.us < 1.3 * floor);
    // Half the bandwidth, twice the time.
    Device slow = h200();
    slow.dram_gb_s /= 2;
    CHECK(time_of(copy, large, slow).us / k.us == Approx(2).epsilon(0.1));
    // Where it fits into L2 it takes less.
    CHECK(time_of(copy, 1 << 22).dram == 0);
}

TEST_CASE("no more misses the L1 cache than is read") {
    // All of it is in L1 at the smaller sample's size, and nothing at the larger one's.
    const auto thrashing = [](std::uint64_t n) {
        KernelCounts k = copy(n);
        if (n > 1 << 18) return k;
        k.timing->missed_lines = k.timing->missed_requests = 1;
        k.timing->missed_sectors = 4;
        return k;
    };
    CHECK(time_of(thrashing, large).us == Approx(time_of(copy, large).us));
}

TEST_CASE("atomics on one address take turns, and doubles longer than the rest") {
    const auto all_on_one = [](std::uint64_t n, bool doubles) {
        KernelCounts k = copy(n);
        auto& load = doubles ? k.timing->floating : k.timing->integer64;
        load = {.sectors = n / 32, .most_on_one_address = n, .most_in_one_kib = n / 32};
        return k;
    };
    const KernelTime f = time_of([&](auto n) { return all_on_one(n, true); }, large);
    const KernelTime i = time_of([&](auto n) { return all_on_one(n, false); }, large);
    CHECK(f.bound() == "atomics");
    CHECK(f.us > 2 * i.us);
    CHECK(i.us > 100 * time_of(copy, large).us);
}

TEST_CASE("instructions, wavefronts and scattered lines have limits of their own") {
    const auto busy = time_of(
        [](auto n) {
            KernelCounts k = copy(n);
            k.timing->issue_slots *= 100;
            return k;
        },
        large);
    CHECK(busy.bound() == "instructions");
    const auto conflicts = time_of(
        [](auto n) {
            KernelCounts k = copy(n);
            k.total.shared_load.wavefronts = n;
            return k;
        },
        large);
    CHECK(conflicts.bound() == "L1 and shared memory");
    const auto scattered = time_of(
        [](auto n) {
            KernelCounts k = copy(n);
            k.timing->lines = k.total.global_load.sectors = n;
            k.timing->missed_lines = k.timing->missed_sectors = n;
            return k;
        },
        large);
    CHECK(scattered.bound() == "L2");
    // Doubles on a GPU that has few units for them.
    const auto doubles = [](auto n) {
        KernelCounts k = copy(n);
        k.total.by_class[static_cast<std::size_t>(emulator::InstructionClass::fp64)] = n / 8;
        return k;
    };
    Device game = h200();
    game.fp64_lanes = 2;
    CHECK(time_of(doubles, large).bound() == "DRAM");
    CHECK(time_of(doubles, large, game).bound() == "instructions");
}

TEST_CASE("one warp waits for every load, and many hide each other's waits") {
    const auto one_warp = [](std::uint64_t n) {
        KernelCounts k = copy(n);
        k.blocks = 1;
        k.block = {32, 1, 1};
        k.timing->waits = n / 32;
        k.timing->busiest_global_requests = n / 16;
        return k;
    };
    const KernelTime k = time_of(one_warp, large);
    CHECK(k.bound() == "latency");
    CHECK(k.us > 100 * time_of(copy, large).us);
}

TEST_CASE("blocks that do nothing hide no waits") {
    const auto shared_by = [](std::uint64_t busy) {
        return [busy](std::uint64_t n) {
            KernelCounts k = copy(n);
            k.blocks = 1024;
            k.timing->busiest_block_global = n / 16 / busy;
            return k;
        };
    };
    const double all = time_of(shared_by(1024), large).latency;
    CHECK(time_of(shared_by(512), large).latency == Approx(all));  // as uneven as honest ones are
    CHECK(time_of(shared_by(1), large).latency > 50 * all);
    // The same work in a launch of one block, and another launch of blocks that do nothing.
    const auto two = [&](std::uint64_t n) {
        KernelCounts k = shared_by(1)(n);
        k.launches = k.total.host_launches = 2;
        return k;
    };
    CHECK(time_of(two, large).latency > 50 * all);
}

TEST_CASE("blocks that only store to shared memory hide no waits for global memory") {
    const auto stores = [](std::uint64_t by_each) {
        return [by_each](std::uint64_t n) {
            KernelCounts k = copy(n);
            k.blocks = 1024;
            k.timing->busiest_block_global = n / 16;  // one block does it all
            k.total.shared_store.requests = by_each * k.blocks;
            k.timing->busiest_block_shared = by_each;
            return k;
        };
    };
    CHECK(time_of(stores(100000), large).latency == Approx(time_of(stores(0), large).latency).epsilon(0.01));
}

TEST_CASE("what a call touches is brought once, whatever the size of its launches") {
    const auto in_launches = [](std::uint64_t launches) {
        Samples s = samples([launches](std::uint64_t n) {
            KernelCounts k = copy(n);
            k.launches = k.total.host_launches = launches;
            k.most_global_bytes = k.distinct_global_bytes / launches;
            return k;
        });
        for (Sample& sample : s)
            sample.counts.distinct_bytes = sample.counts.kernels[0].distinct_global_bytes;
        return s;
    };
    const auto dram = [&](const Samples& s, double elements) {
        return predict(h200(), {}, s, elements).kernels.at(0).dram;
    };
    CHECK(dram(in_launches(64), large) == Approx(dram(in_launches(1), large)));
    CHECK(dram(in_launches(64), large) > 0);
    CHECK(dram(in_launches(64), 1 << 22) == 0);  // all of it fits into L2
    // A second kernel goes over what the first has brought.
    Samples again = in_launches(1);
    for (Sample& sample : again) {
        KernelCounts k = sample.counts.kernels[0];
        k.kernel = "again";
        k.launches = k.total.host_launches = 64;
        k.most_global_bytes /= 64;
        sample.counts.kernels.push_back(k);
    }
    CHECK(predict(h200(), {}, again, large).kernels.at(1).dram == 0);
}

TEST_CASE("a persistent grid is as busy on more multiprocessors") {
    Samples s = samples(copy);
    for (Sample& sample : s) {
        KernelCounts& k = sample.counts.kernels[0];
        k.blocks = static_cast<std::uint64_t>(8 * sample.multiprocessors);
        k.timing->busiest_block_global = k.total.global_load.requests * 2 / k.blocks;
    }
    Samples unknown = s;
    for (Sample& sample : unknown) sample.counts.kernels[0].timing->busiest_block_global = 0;
    const auto latency = [](const Samples& of) {
        return predict(h200(), {}, of, large).kernels[0].latency;
    };
    CHECK(latency(s) == Approx(latency(unknown)));
}

TEST_CASE("a grid as large as the device grows with the device, not with the input") {
    Samples s = samples(copy);
    for (Sample& sample : s) {
        sample.counts.kernels[0].blocks = static_cast<std::uint64_t>(8 * sample.multiprocessors);
    }
    const auto elements = static_cast<double>(1 << 28);
    const double h = predict(h200(), {}, s, elements).kernels[0].latency;
    Device half = h200();
    half.multiprocessors /= 2;
    // Half the warps have twice the work each.
    CHECK(predict(half, {}, s, elements).kernels[0].latency / h == Approx(2).epsilon(0.1));
}

TEST_CASE("launches cost, and so does what the host does between them") {
    // One for each doubling of n: 26 of them at 2^26.
    const KernelTime passes = time_of(
        [](std::uint64_t n) {
            KernelCounts k = copy(n);
            k.launches = k.total.host_launches = n == 1 << 18 ? 18 : 20;
            k.distinct_global_bytes *= k.launches;
            return k;
        },
        large);
    CHECK(passes.launches == Approx(26));
    CHECK(passes.overhead == Approx(26 * Calibration{}.launch_us));
    Samples s = samples(copy);
    const double without = predict(h200(), {}, s, large).us;
    for (Sample& sample : s) {
        sample.counts.host.allocations = 2;
        sample.counts.host.reads = 1;
        sample.counts.host.read_bytes = static_cast<std::uint64_t>(4 * sample.elements);
    }
    const Prediction with = predict(h200(), {}, s, large);
    CHECK(with.host_us > 2 * Calibration{}.allocation_us + 4 * large / 64e3);
    CHECK(with.us == Approx(without + with.host_us));
    CHECK(with.limited_by() == "host");
    CHECK(predict(h200(), {}, samples(copy), large).limited_by() == "DRAM");
}

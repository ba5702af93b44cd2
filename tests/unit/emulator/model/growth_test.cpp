// Counts that are bent so that the line through them falls, and honest ones that look strange.
#include "emulator/model/growth.hpp"

#include "catch.hpp"

using namespace cugrade;
using namespace cugrade::model;
using emulator::KernelCounts;

namespace {

constexpr double small_size = 1 << 18, middle_size = 5 << 17, larger_size = 1 << 20;

/// One atomic on one address for each of `work` elements.
KernelCounts atomics(double work, const char* name = "count") {
    const auto n = static_cast<std::uint64_t>(work);
    KernelCounts k;
    k.kernel = name;
    k.launches = 1;
    k.block = {256, 1, 1};
    k.blocks = n / 256;
    k.total.global_load = {.requests = n / 32, .lanes = n, .bytes = 4 * n, .sectors = n / 8};
    k.total.global_atomic = {.requests = n / 32, .lanes = n, .bytes = 4 * n, .sectors = n / 32};
    auto& t = k.timing.emplace();
    t.issue_slots = n / 2;
    t.lines = n / 16;
    t.waits = n / 32;
    t.integer32 = {.sectors = n / 32, .most_on_one_address = n, .most_in_one_kib = n / 32};
    return k;
}

Sample sample(double elements, std::vector<KernelCounts> kernels) {
    return {.elements = elements, .multiprocessors = 2, .counts = {std::move(kernels), {}, {}}};
}

Samples samples(double at_small, double at_larger) {
    return {sample(small_size, {atomics(at_small)}), sample(larger_size, {atomics(at_larger)}),
            sample(larger_size, {atomics(at_larger)})};
}

std::optional<std::string> doubt(double at_small, double at_middle, double at_larger) {
    return why_not_continued(samples(at_small, at_larger),
                             sample(middle_size, {atomics(at_middle)}));
}

}  // namespace

TEST_CASE("counts that grow with the data are continued") {
    CHECK_FALSE(doubt(small_size, middle_size, larger_size));
    CHECK_FALSE(why_not_continued(samples(small_size, larger_size), std::nullopt));
    // The square, and a part that is the same at every size.
    CHECK_FALSE(doubt(small_size, 2.5 * middle_size, 4 * larger_size));
    CHECK_FALSE(doubt(small_size + 1e5, middle_size + 1e5, larger_size + 1e5));
    // A width that is no multiple of four takes the slow way.
    CHECK_FALSE(doubt(small_size, 9 * middle_size, larger_size));
}

TEST_CASE("counts that fall, stay or hardly grow are not continued") {
    CHECK(doubt(5 * larger_size, middle_size, larger_size).has_value());
    CHECK(doubt(2 * larger_size, 2 * larger_size, 2 * larger_size).has_value());
    const auto tenth = [](double n) { return larger_size + n / 10; };
    const auto why = doubt(tenth(small_size), tenth(middle_size), tenth(larger_size));
    REQUIRE(why.has_value());
    CHECK(why->find("do not grow as the data do") != std::string::npos);
}

TEST_CASE("a size that nobody knows shows work that only the known ones do") {
    const auto why = doubt(2 * small_size, middle_size, larger_size);
    REQUIRE(why.has_value());
    CHECK(why->find("at a size between those of the model") != std::string::npos);
}

TEST_CASE("little of a count may be the same at every size") {
    // One atomic for each of 4096 blocks, at every size.
    const auto persistent = [](double n) {
        KernelCounts k = atomics(n);
        k.total.global_atomic.lanes = 4096;
        k.timing->integer32 = {
            .sectors = 4096, .most_on_one_address = 4096, .most_in_one_kib = 4096};
        return k;
    };
    const Samples s{sample(small_size, {persistent(small_size)}),
                    sample(larger_size, {persistent(larger_size)}),
                    sample(larger_size, {persistent(larger_size)})};
    CHECK_FALSE(why_not_continued(s, sample(middle_size, {persistent(middle_size)})));
}

TEST_CASE("launches that are as many at every size may not decide the time") {
    const Device device{.multiprocessors = 100,
                        .clock_ghz = 2,
                        .threads = 2048,
                        .blocks = 32,
                        .shared_kib = 228,
                        .fp64_lanes = 64,
                        .dram_gb_s = 4000,
                        .l2_mib = 50,
                        .l2_bytes_per_clock = 5000,
                        .host_gb_s = 64};
    constexpr double timed = 64 * larger_size;
    const auto of_launches = [](double at_small, double at_larger, std::uint64_t passes) {
        const auto one = [&](double n, double launches) {
            KernelCounts k = atomics(n);
            k.launches = k.total.host_launches = static_cast<std::uint64_t>(launches);
            k.blocks *= passes;
            k.timing->issue_slots *= 10 * passes;
            return sample(n, {k});
        };
        return Samples{one(small_size, at_small), one(larger_size, at_larger),
                       one(larger_size, at_larger)};
    };
    const auto why = [&](const Samples& s) {
        return why_launches_are_not_continued(device, {}, s, timed);
    };
    const Samples flat = of_launches(4096, 4096, 1);
    REQUIRE(why(flat).has_value());
    CHECK(why(flat)->find("launches do not grow") == 0);
    CHECK_FALSE(why(of_launches(4, 4, 1)));
    CHECK_FALSE(why(of_launches(1024, 4096, 1)));
    CHECK_FALSE(why(of_launches(100, 100, 100)));  // each goes over all data
    const Cautious cautious{};
    CHECK(predict(device, {}, flat, timed, &cautious).kernels.at(0).launches == Approx(64 * 4096));
}

TEST_CASE("cautious counts grow in proportion, and a kernel of one size does so always") {
    Device device{.id = "d",
                  .name = "d",
                  .multiprocessors = 100,
                  .clock_ghz = 2,
                  .threads = 2048,
                  .blocks = 32,
                  .shared_kib = 228,
                  .fp64_lanes = 64,
                  .dram_gb_s = 4000,
                  .l2_mib = 50,
                  .l2_bytes_per_clock = 5000,
                  .host_gb_s = 64};
    const double timed = 64 * larger_size;
    const double honest = predict(device, {}, samples(small_size, larger_size), timed).us;
    const Samples flat = samples(larger_size, larger_size);
    CHECK(predict(device, {}, flat, timed).us < honest / 10);
    const Cautious cautious{};
    CHECK(predict(device, {}, flat, timed, &cautious).us == Approx(honest).epsilon(0.01));
    // Bent less: the third size has the slope.
    const Samples square = samples(small_size, 4 * larger_size);
    const Cautious middle{sample(middle_size, {atomics(2.5 * middle_size)})};
    CHECK(predict(device, {}, square, timed, &middle).us >= predict(device, {}, square, timed).us);

    Samples other = samples(small_size, larger_size);
    other[0].counts.kernels = {atomics(small_size, "small")};
    CHECK(predict(device, {}, other, timed).us == Approx(honest).epsilon(0.01));

    // Less on more multiprocessors is not believed either.
    Samples wide = samples(small_size, larger_size);
    wide[2] = sample(larger_size, {atomics(larger_size / 2)});
    wide[2].multiprocessors = 4;
    CHECK(predict(device, {}, wide, timed).us == Approx(honest).epsilon(0.01));
}

TEST_CASE("no launch is shorter than memory needs for its bytes") {
    const Device device{
        .clock_ghz = 2, .dram_gb_s = 4000, .l2_mib = 50, .l2_bytes_per_clock = 5000};
    CHECK(least_us(device, {}, 4e9) == Approx(1000).epsilon(0.01));
    CHECK(least_us(device, {}, 1e6) == Approx(0.44 + 0.1));
}

// Launches that are changed, and shared memory that begins as zeros.
#include "emulator/interventions/launches.hpp"

#include <cstring>

#include "changed.hpp"
#include "emulator/observe/checkers.hpp"

using namespace cugrade;
using namespace cugrade::emulator;
using namespace cugrade::emulator::test;

namespace {

const std::string kernel = "_Z3sumPfi";

protocol::LaunchRecord record(Dim3 grid, Dim3 block, std::uint64_t shared = 0) {
    return {.grid = {grid.x, grid.y, grid.z},
            .block = {block.x, block.y, block.z},
            .dynamic_shared = shared};
}

std::string shape(const protocol::LaunchRecord& l) {
    const auto triple = [](const std::uint32_t(&d)[3]) {
        return std::to_string(d[0]) + "," + std::to_string(d[1]) + "," + std::to_string(d[2]);
    };
    return triple(l.grid) + " " + triple(l.block) + " " + std::to_string(l.dynamic_shared);
}

/// The launch with the intervention; "" if it does not allow that.
std::string changed(protocol::LaunchRecord l, InterventionKind kind, std::int64_t value) {
    for (const Intervention& one : launch_interventions(kernel, {}, l, {}, 0x1234))
        if (one.kind == kind && one.value == value) {
            change_launch(l, kernel, 0x1234, std::vector{one});
            return shape(l);
        }
    return {};
}

}  // namespace

TEST_CASE("a launch gets other numbers") {
    using Kind = InterventionKind;
    CHECK(changed(record({7}, {256}), Kind::grid_larger, 1) == "8,1,1 256,1,1 0");
    CHECK(changed(record({1}, {256}), Kind::grid_larger, 1) == "2,1,1 256,1,1 0");
    CHECK(changed(record({3, 4}, {16, 8}), Kind::grid_larger, 1) == "4,5,1 16,8,1 0");
    CHECK(changed(record({1, 4}, {16, 8}), Kind::grid_larger, 4) == "1,16,1 16,8,1 0");
    CHECK(changed(record({0xFFFFFFF0}, {1}), Kind::grid_larger, 16) == "4294967295,1,1 1,1,1 0");
    CHECK(changed(record({7}, {256}), Kind::launch_swapped, 0) == "256,1,1 7,1,1 0");
    CHECK(changed(record({3, 4}, {16, 8}), Kind::launch_xy, 0) == "4,3,1 8,16,1 0");
    CHECK(changed(record({3, 4}, {16, 8}), Kind::launch_xy, 1) == "4,3,1 16,8,1 0");
    CHECK(changed(record({3, 4}, {16, 8}), Kind::launch_xy, 2) == "3,4,1 8,16,1 0");
    CHECK(changed(record({4, 4}, {8, 8}), Kind::launch_xy, 0).empty());
    CHECK(changed(record({1}, {32}, 128), Kind::dynamic_shared, 4) == "1,1,1 32,1,1 512");
    CHECK(changed(record({1}, {32}), Kind::dynamic_shared, 4).empty());
    CHECK(changed(record({3}, {192}, 768), Kind::block_rounded, 192) == "3,1,1 256,1,1 1024");
    CHECK(changed(record({3}, {256}), Kind::block_rounded, 256).empty());
    CHECK(changed(record({3}, {12, 16}), Kind::block_rounded, 12).empty());
    CHECK(changed(record({3}, {1025}), Kind::block_rounded, 1025).empty());
}

TEST_CASE("numbers that a launch passes are exchanged, in a structure, too") {
    // struct { const float* pixels; int rows, columns; }, float* out, int width, size_t n, size_t m
    KernelInfo info;
    info.params = {{.name = "image", .type = ptx::Type::b8, .align = 8, .bytes = 16, .offset = 0},
                   {.name = "out", .type = ptx::Type::u64, .align = 8, .bytes = 8, .offset = 16},
                   {.name = "width", .type = ptx::Type::u32, .align = 4, .bytes = 4, .offset = 24},
                   {.name = "scale", .type = ptx::Type::f32, .align = 4, .bytes = 4, .offset = 28},
                   {.name = "n", .type = ptx::Type::u64, .align = 8, .bytes = 8, .offset = 32},
                   {.name = "m", .type = ptx::Type::u64, .align = 8, .bytes = 8, .offset = 40}};
    std::vector<std::byte> parameters(48);
    const auto put = [&](std::size_t at, auto value) {
        std::memcpy(&parameters[at], &value, sizeof value);
    };
    const auto get = [&](std::size_t at) {
        std::uint32_t value = 0;
        std::memcpy(&value, &parameters[at], sizeof value);
        return value;
    };
    put(0, Memory::device_base + 0x100000200);
    put(8, 5), put(12, 7);
    put(16, Memory::device_base + 512);
    put(24, 7), put(28, 0.5F);
    put(32, std::uint64_t{3}), put(40, std::uint64_t{4});
    const std::vector<std::byte> before = parameters;
    std::vector<Intervention> all =
        launch_interventions(kernel, info, record({1}, {32}), parameters, 1);
    std::erase_if(all, [](auto& one) { return one.kind != InterventionKind::numbers_exchanged; });
    // rows with columns, rows with width, n with m; columns and width are the same number.
    REQUIRE(all.size() == 3);
    exchange_numbers(parameters, kernel, 2, std::vector{all[0]});
    CHECK(parameters == before);
    exchange_numbers(parameters, kernel, 1, std::vector{all[0]});
    CHECK(get(8) == 7);
    CHECK(get(12) == 5);
    exchange_numbers(parameters, kernel, 1, std::vector{all[0]});
    CHECK(parameters == before);
    exchange_numbers(parameters, kernel, 1, std::vector{all[2]});
    CHECK(get(32) == 4);
    CHECK(get(40) == 3);
    exchange_numbers(std::span(parameters).first(40), kernel, 1, std::vector{all[2]});
    CHECK(get(40) == 3);
}

TEST_CASE("only the launches of the kernel are changed") {
    auto l = record({7}, {256});
    const auto all = launch_interventions(kernel, {}, l, {}, 0x1234);
    CHECK(all.front().text == "one block more in the launch of `sum`");
    CHECK(all.front().function == kernel);
    change_launch(l, "_Z4sum2Pfi", 0x1234, all);
    change_launch(l, kernel, 0x1235, all);
    CHECK(shape(l) == "7,1,1 256,1,1 0");
    Intervention other = all.front();
    other.function = "_Z4sum2Pfi";
    CHECK_FALSE(other.same_edit(all.front()));
}

TEST_CASE("a call of the host has more bytes") {
    const auto all = call_interventions(InterventionKind::fill_bytes, 77);
    REQUIRE(all.size() == 3);
    CHECK(all[1].text == "4 times as many bytes in the `cudaMemset`");
    const std::vector one{all[1]};
    CHECK(factor_of_call(InterventionKind::fill_bytes, 77, one) == 4);
    CHECK(factor_of_call(InterventionKind::fill_bytes, 78, one) == 1);
    CHECK(factor_of_call(InterventionKind::copy_bytes, 77, one) == 1);
    const auto numbers = call_interventions(InterventionKind::fill_numbers, 77);
    REQUIRE(numbers.size() == 2);
    CHECK(factor_of_call(InterventionKind::fill_numbers, 77, std::vector{numbers[1]}) == 8);
}

TEST_CASE("shared memory begins as zeros if that is asked for") {
    const std::string ptx = header() + R"(
.visible .entry k(.param .u64 out) {
    .reg .b32 %r<2>; .reg .b64 %rd<2>;
    .shared .align 4 .b8 s[64];
    ld.param.u64 %rd0, [out];
    ld.shared.u32 %r0, [s+12];
    st.global.u32 [%rd0], %r0;
    ret;
}
)";
    for (const bool zeros : {false, true})
        for (const std::uint64_t seed : {0, 1, 2}) {
            Device device(ptx);
            Checkers checkers(device.machine->memory());
            const auto out = device.buffer(std::vector<std::uint32_t>{1});
            device.run("k", {1}, {1}, Params().add(out),
                       {.seed = seed,
                        .warp_instruction_budget = 1000,
                        .observer = seed == 2 ? &checkers : nullptr,
                        .zero_shared = zeros});
            CHECK((device.read<std::uint32_t>(out, 1)[0] == 0) == zeros);
            if (seed == 2) CHECK(checkers.findings().all().empty() == zeros);
        }
    const auto has_zero_shared = [](std::uint64_t shared, std::uint64_t dynamic) {
        KernelInfo info;
        info.static_shared_bytes = shared;
        return has_kind(launch_interventions(kernel, info, record({1}, {32}, dynamic), {}, 0),
                        InterventionKind::zero_shared);
    };
    CHECK(has_zero_shared(4, 0));
    CHECK(has_zero_shared(0, 4));
    CHECK_FALSE(has_zero_shared(0, 0));
}

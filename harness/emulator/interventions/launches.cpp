#include "emulator/interventions/launches.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "core/checked.hpp"
#include "emulator/ptx/module.hpp"

namespace cugrade::emulator {
namespace {

using protocol::LaunchRecord;
using Kind = InterventionKind;

constexpr std::uint32_t most_threads = 1024;  ///< of a block

enum Axes : std::int64_t { both = 0, of_grid = 1, of_block = 2 };

/// "sum" of "sum(float*, int)".
std::string name_of_kernel(const std::string& kernel) {
    const std::string full = ptx::demangled(kernel);
    return full.substr(0, full.find_first_of("(<"));
}

/// For each dimension that the launch uses; x if it uses none.
template <class Change>
void change_grid(LaunchRecord& l, Change change) {
    const bool is_one = l.grid[0] == 1 && l.grid[1] == 1 && l.grid[2] == 1;
    for (std::size_t d = 0; d < 3; ++d)
        if (l.grid[d] != 1 || (is_one && d == 0)) l.grid[d] = change(l.grid[d]);
}

void change(LaunchRecord& l, const Intervention& one) {
    const auto factor = static_cast<std::uint32_t>(one.value);
    switch (one.kind) {
        case Kind::grid_larger:
            change_grid(l, [&](std::uint32_t n) {
                return factor == 1 ? (Checked(n) + 1U).or_largest()
                                   : (Checked(n) * factor).or_largest();
            });
            break;
        case Kind::launch_swapped: std::swap(l.grid, l.block); break;
        case Kind::launch_xy:
            if (one.value != of_block) std::swap(l.grid[0], l.grid[1]);
            if (one.value != of_grid) std::swap(l.block[0], l.block[1]);
            break;
        case Kind::dynamic_shared:
            l.dynamic_shared = (Checked(l.dynamic_shared) * std::uint64_t{factor}).or_largest();
            break;
        case Kind::block_rounded:
            if (l.block[0] == 0 || l.block[0] > most_threads) break;
            l.dynamic_shared =
                (Checked(l.dynamic_shared) * std::uint64_t{std::bit_ceil(l.block[0])})
                    .or_largest() /
                l.block[0];
            l.block[0] = std::bit_ceil(l.block[0]);
            break;
        default: break;
    }
}

/// A number among a kernel's parameters, or in a structure that is one.
struct Number {
    std::uint64_t offset = 0;
    std::uint32_t bytes = 0;
    std::uint64_t value = 0;
};

std::vector<Number> numbers_of(const KernelInfo& kernel, std::span<const std::byte> parameters) {
    std::vector<Number> all;
    const auto add = [&](std::uint64_t offset, std::uint32_t bytes) {
        std::uint64_t value = 0;
        std::memcpy(&value, &parameters[offset], bytes);
        if (!protocol::is_device_address(value)) all.push_back({offset, bytes, value});
    };
    for (const ptx::Parameter& one : kernel.params) {
        if (one.offset + one.bytes > parameters.size() || is_float(one.type)) continue;
        if (one.bytes == 4 || (one.bytes == 8 && bits(one.type) == 64)) {
            add(one.offset, static_cast<std::uint32_t>(one.bytes));
            continue;
        }
        // A structure: what its members are is not known. Where an address could lie is looked for
        // first.
        for (std::uint64_t at = 0; at + 4 <= one.bytes; at += 4) {
            std::uint64_t wide = 0;
            if (at % 8 == 0 && at + 8 <= one.bytes) {
                std::memcpy(&wide, &parameters[one.offset + at], 8);
                if (protocol::is_device_address(wide)) {
                    at += 4;
                    continue;
                }
            }
            add(one.offset + at, 4);
        }
    }
    return all;
}

}  // namespace

std::vector<Intervention> launch_interventions(const std::string& kernel, const KernelInfo& info,
                                               const LaunchRecord& l,
                                               std::span<const std::byte> parameters,
                                               std::uint32_t site) {
    std::vector<Intervention> all;
    const std::string name = name_of_kernel(kernel);
    const auto add = [&](Kind kind, std::int64_t value, const std::string& what) {
        all.push_back({.kind = kind,
                       .function = kernel,
                       .instruction = site,
                       .value = value,
                       .text = fmt::format("{} in the launch of `{}`", what, name)});
    };
    add(Kind::grid_larger, 1, "one block more");
    for (const int factor : {2, 4, 16})
        add(Kind::grid_larger, factor, fmt::format("{} times as many blocks", factor));
    add(Kind::launch_swapped, 0, "grid and block exchanged");
    const bool grid_is_square = l.grid[0] == l.grid[1], block_is_square = l.block[0] == l.block[1];
    if (!grid_is_square || !block_is_square) add(Kind::launch_xy, both, "x and y exchanged");
    if (!grid_is_square && !block_is_square) {
        add(Kind::launch_xy, of_grid, "x and y of the grid exchanged");
        add(Kind::launch_xy, of_block, "x and y of the block exchanged");
    }
    if (l.dynamic_shared != 0)
        for (const int factor : {2, 4, 8})
            add(Kind::dynamic_shared, factor,
                fmt::format("{} times as many bytes of dynamic shared memory", factor));
    if (l.block[1] == 1 && l.block[2] == 1 && l.block[0] > 2 && l.block[0] < most_threads &&
        !std::has_single_bit(l.block[0]))
        add(Kind::block_rounded, l.block[0],
            fmt::format("{} threads per block instead of {}", std::bit_ceil(l.block[0]),
                        l.block[0]));
    // Chosen: neighbours, and those with one between them, are what somebody confuses.
    constexpr std::size_t furthest = 2;
    const std::vector<Number> numbers = numbers_of(info, parameters);
    for (std::size_t a = 0; a < numbers.size(); ++a)
        for (std::size_t b = a + 1; b < numbers.size() && b <= a + furthest; ++b)
            if (numbers[a].bytes == numbers[b].bytes && numbers[a].value != numbers[b].value &&
                numbers[a].value != 0 && numbers[b].value != 0)
                add(Kind::numbers_exchanged,
                    static_cast<std::int64_t>(numbers[a].offset << 20 | numbers[b].offset << 4 |
                                              numbers[a].bytes),
                    "two numbers exchanged");
    if (l.dynamic_shared != 0 || info.static_shared_bytes != 0)
        all.push_back({.kind = Kind::zero_shared, .text = "shared memory that begins as zeros"});
    return all;
}

void change_launch(LaunchRecord& l, const std::string& kernel, std::uint32_t site,
                   std::span<const Intervention> made) {
    for (const Intervention& one : made)
        if (one.function == kernel && one.instruction == site) change(l, one);
}

void exchange_numbers(std::span<std::byte> parameters, const std::string& kernel,
                      std::uint32_t site, std::span<const Intervention> made) {
    for (const Intervention& one : made) {
        if (one.kind != Kind::numbers_exchanged || one.function != kernel ||
            one.instruction != site)
            continue;
        const auto value = static_cast<std::uint64_t>(one.value);
        const std::uint64_t a = value >> 20, b = value >> 4 & 0xFFFF, bytes = value & 0xF;
        if (std::max(a, b) + bytes <= parameters.size())
            std::swap_ranges(&parameters[a], &parameters[a] + bytes, &parameters[b]);
    }
}

std::vector<Intervention> call_interventions(InterventionKind kind, std::uint32_t site) {
    std::vector<Intervention> all;
    if (kind == Kind::fill_numbers) {
        for (const int bytes : {4, 8})
            all.push_back({.kind = kind,
                           .instruction = site,
                           .value = bytes,
                           .text = fmt::format("each number of {} bytes set by the `cudaMemset`, "
                                               "not each byte",
                                               bytes)});
        return all;
    }
    const std::string_view call = kind == Kind::copy_bytes   ? "copy"
                                  : kind == Kind::fill_bytes ? "`cudaMemset`"
                                                             : "`cudaMalloc`";
    for (const int factor : {2, 4, 8})
        all.push_back({.kind = kind,
                       .instruction = site,
                       .value = factor,
                       .text = fmt::format("{} times as many bytes in the {}", factor, call)});
    return all;
}

std::uint64_t factor_of_call(InterventionKind kind, std::uint32_t site,
                             std::span<const Intervention> made) {
    for (const Intervention& one : made)
        if (one.kind == kind && one.instruction == site)
            return static_cast<std::uint64_t>(std::clamp<std::int64_t>(one.value, 1, 1024));
    return 1;
}

Intervention of_program(InterventionKind kind) {
    Intervention one;
    one.kind = kind;
    one.text = kind == Kind::zero_memory        ? "memory of `cudaMalloc` that begins as zeros"
               : kind == Kind::children_first   ? "kernels of kernels that run at their launch"
               : kind == Kind::children_in_tail ? "kernels of kernels that run after the grid"
                                                : "a wait for every stream after each call";
    return one;
}

bool has_kind(std::span<const Intervention> made, InterventionKind kind) {
    return std::ranges::any_of(made, [&](const Intervention& one) { return one.kind == kind; });
}

}  // namespace cugrade::emulator

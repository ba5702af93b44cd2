#include "emulator/interventions/launches.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/checked.hpp"
#include "emulator/ptx/module.hpp"

namespace cugrade::emulator {
namespace {

using protocol::LaunchRecord;
using Kind = InterventionKind;

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
        default: break;
    }
}

}  // namespace

std::vector<Intervention> launch_interventions(const std::string& kernel,
                                               std::uint64_t static_shared_bytes,
                                               const LaunchRecord& l, std::uint32_t site) {
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
    if (l.dynamic_shared != 0 || static_shared_bytes != 0)
        all.push_back({.kind = Kind::zero_shared, .text = "shared memory that begins as zeros"});
    return all;
}

void change_launch(LaunchRecord& l, const std::string& kernel, std::uint32_t site,
                   std::span<const Intervention> made) {
    for (const Intervention& one : made)
        if (one.function == kernel && one.instruction == site) change(l, one);
}

std::vector<Intervention> call_interventions(InterventionKind kind, std::uint32_t site) {
    const std::string_view call = kind == Kind::copy_bytes   ? "copy"
                                  : kind == Kind::fill_bytes ? "`cudaMemset`"
                                                             : "`cudaMalloc`";
    std::vector<Intervention> all;
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

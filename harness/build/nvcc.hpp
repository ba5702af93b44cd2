// What nvcc is asked, and asked again, wherever cugrade compiles CUDA.
#pragma once

#include <concepts>
#include <string>
#include <vector>

#include "build/build_messages.hpp"
#include "core/error.hpp"
#include "sandbox/sandbox.hpp"

namespace cugrade {

/// For the host's code: lines, and a place of its own for each call. A call that ends a function would
/// else be a jump, and seem to come from that function's caller.
inline constexpr const char* host_flags = "-g1,-fno-optimize-sibling-calls";

/// Lets kernels call constexpr functions of the standard library, such as those of
/// std::numeric_limits. Students take this for granted.
inline constexpr const char* constexpr_flag = "--expt-relaxed-constexpr";

/// An environment variable for compilers, by which glibc gives their heaps large pages and keeps what
/// they free. They touch 350 MB in a second, and half as many page faults save a fifth of it.
inline constexpr const char* heap_variable = "GLIBC_TUNABLES";
inline constexpr const char* heap_of_compilers =
    "glibc.malloc.hugetlb=1:glibc.malloc.mmap_threshold=33554432:glibc.malloc.top_pad=67108864:"
    "glibc.malloc.trim_threshold=536870912";

[[nodiscard]] inline bool succeeded(const sandbox::Outcome& outcome) {
    return outcome.end == sandbox::End::exited && outcome.exit_code == 0;
}

/// Has `run` execute the command that compiles a file. Where that fails only because __device__
/// lambdas are not allowed, they are, and it runs again: with this flag nvcc includes <functional>
/// and needs 1.4 times as long for any file (1.8 instead of 1.3 s for the scan's model answer).
template <std::invocable<std::vector<std::string>> Run>
[[nodiscard]] Result<sandbox::Outcome> compile_file(std::vector<std::string> command,
                                                    const Run& run) {
    Result<sandbox::Outcome> outcome = run(command);
    if (outcome && !succeeded(*outcome) && asks_for_lambdas(outcome->output)) {
        command.emplace_back("--extended-lambda");
        return run(std::move(command));
    }
    return outcome;
}

}  // namespace cugrade

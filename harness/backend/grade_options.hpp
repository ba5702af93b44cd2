// What the caller of a grading chooses.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "sandbox/sandbox.hpp"

namespace cugrade {

inline constexpr std::size_t default_check_bytes = std::size_t{128} << 10;

struct GradeOptions {
    /// A name of backends(), or `auto`: the first of them that is available here.
    std::string backend = "auto";
    std::string student;          ///< id from which hidden seeds are derived; may be empty
    std::string secret;           ///< course secret; empty: hidden cases use a development secret
    int ptx_arch = 75;            ///< for the emulated GPU
    std::vector<int> also_build;  ///< more compute capabilities to compile for, for later gradings
    std::vector<std::string> tasks;  ///< empty: all
    int jobs = 2;                    ///< tasks graded at once
    /// Host threads of each emulated GPU; 0: the tasks graded at once share the processors.
    int emulator_threads = 0;
    bool timing = true;  ///< speed is measured, or modelled
    /// Schedules to try on the emulated GPU besides the first; 0: one, for cases that are small.
    int explore = 0;
    /// Cases of up to so many bytes of inputs and outputs run under the checkers, too: enough for
    /// several blocks and a partial one, and little enough to take no second.
    std::size_t check_bytes = default_check_bytes;
    sandbox::Isolation isolation = sandbox::Isolation::if_possible;
    /// The enclosures of the one submission that is at work; null: it runs without. Whoever grades or
    /// studies a submission sets it, as `isolation` says.
    sandbox::Keeper* keeper = nullptr;
    /// Called as things happen, from any thread: "reduction/sum case 3 of 17".
    std::function<void(const std::string&)> progress;
};

/// Host threads of each of `at_once` emulated GPUs: `chosen`, or for 0 a share of the processors.
[[nodiscard]] int threads_of_each(int chosen, int at_once);

}  // namespace cugrade

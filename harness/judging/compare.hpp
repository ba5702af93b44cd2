// Compares what a submission wrote with the right answer, and says what the errors have in common.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/case_data.hpp"
#include "core/outcome.hpp"

namespace cugrade {

struct Comparison {
    Verdict verdict = Verdict::accepted;  ///< accepted, wrong_answer or unwritten_output
    std::vector<Mismatch> first;          ///< at most `max_mismatches`
    std::int64_t mismatch_count = 0;
    std::int64_t element_count = 0;
    std::vector<std::int64_t> wrong;   ///< all wrong indices ascending, at most 2^20 of them
    std::int64_t still_poison = 0;     ///< wrong elements that were never written
    std::int64_t added_to_poison = 0;  ///< wrong elements that are the right value plus the poison
};

inline constexpr std::size_t max_mismatches = 5;

/// `poison`: what the output held before the call; an element that still holds it bit for bit where
/// that is not the right answer was never written. NaN equals NaN only where NaN is expected.
/// The verdict is unwritten_output if all but one in 64 of the wrong elements were never written.
/// Throws HarnessFault if the answer contradicts itself: another type or size than the output's, a
/// bound on integers, neither one bound nor one per element, or a bound that is no finite number.
[[nodiscard]] Comparison compare(const Expected&, const Array& got, const Array& poison);

/// Gives the answer to another case, or nothing.
using AskOracle = std::function<std::vector<Expected>(const CaseData&)>;

/// What wrong elements have in common.
struct Diagnosis {
    Diagnosis(std::string what = {}, std::string_view suggested = {})
        : text(std::move(what)), cause(suggested) {}
    std::string text;        ///< for a student; empty: nothing
    std::string_view cause;  ///< the id of the cause that it suggests; empty: none
};

/// What the wrong elements have in common, or empty: only the last partial block,
/// only tile edges, off by one, all zeros, doubled, input copied, negative byte index, ...
/// Names places and sizes, never values of the data, so that it can be told of hidden cases too.
/// `oracle`, if given, is asked what the answer would be under another policy of the task (a
/// scalar parameter that is no size, for example how ghost cells are filled).
[[nodiscard]] Diagnosis diagnose(const CaseData&, const Expected&, const Array& got,
                                 const Comparison&, const AskOracle& oracle = nullptr);

/// Where two runs of one case under different schedules differ, for a student; empty if they do
/// not.
[[nodiscard]] std::string diagnose_between(const Array& a, const Array& b);

}  // namespace cugrade

// Why a task fails or is slow: what a student has to edit, and how sure that is.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/source_location.hpp"

namespace cugrade {

enum class Proof : std::uint8_t {
    likely,  ///< what is wrong looks like this cause
    /// With this one thing changed, the failing cases that were tried passed and the others still
    /// did; or the emulated GPU itself saw it happen.
    proven,
    untold,  ///< the policy's hints leave it out
};
/// Of `untold` the empty word.
[[nodiscard]] std::string_view name(Proof);
[[nodiscard]] std::optional<Proof> proof_from_name(std::string_view);

/// One thing to edit.
struct Cause {
    std::string id;                        ///< of causes()
    SourceLocation location;               ///< the place to edit; line 0: not known
    int end_line = 0;                      ///< of the place; 0: one line
    std::optional<SourceLocation> second;  ///< of a race, where the other thread is
    Proof proof = Proof::likely;
    std::vector<int> cases;  ///< the failing cases that it explains, by id
    /// Kinds of findings and names of verdicts that need no telling beside it.
    std::vector<std::string> explains;
    std::string sentence;  ///< the cause in one sentence, with names of the source
    std::string instance;  ///< one concrete instance; empty: none, or it would tell hidden data
    std::string advice;    ///< what to do, in one or two sentences
    /// Why we believe it: "with a barrier after line 12 all 22 cases are right".
    std::string evidence;
    /// The source around `location` and around `second`, in ascending order of each file.
    std::vector<SourceLine> excerpt;
    bool operator==(const Cause&) const = default;
};

/// One row of the table of causes; docs/causes/<id>.md explains it.
struct CauseKind {
    std::string_view id;
    std::string_view title;  ///< "a barrier is missing"
};

[[nodiscard]] std::span<const CauseKind> causes();
/// Null: there is no such id.
[[nodiscard]] const CauseKind* cause_kind(std::string_view id);

}  // namespace cugrade

// Where to edit a submission that lacks a function of the interface.
//
// Theory of operation. The linker has said that the function is not there. A definition of the same
// name is then another function, or one that the rest of the program cannot see; one of a similar
// name that nobody calls was likely meant to be it. If there is neither, the function belongs where
// the interface has it: before the next function's definition, or at the end of the file.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "build/build_submission.hpp"
#include "core/cause.hpp"
#include "judging/written_functions.hpp"

namespace cugrade {

struct MissingFunction {
    std::string name;
    std::vector<DeclaredFunction> interface;  ///< all functions of interface.cuh in its order
    /// In what a function of this name, which the program has, differs from the declared one, as
    /// the linker knows them; empty: it has none.
    std::string difference;
};

/// Of the id function_missing, function_misspelled or wrong_signature.
[[nodiscard]] Cause place_of_missing(const MissingFunction&, std::span<const SourceFile>);

}  // namespace cugrade

// Lines whose accesses go where data say: value[neighbour[i]]. No edit makes them neighbours.
//
// Theory of operation. Counts do not tell such lines from a wrong stride, so the text has to. A name
// that is set from an element of an array is a loaded one. A line counts if a subscript in it has a
// subscript or a loaded name inside, unless the outer array lies in shared memory or the address of
// its element is taken, as for an atomic: then what the line loads from global memory is the index.
#pragma once

#include <set>
#include <span>

#include "build/build_submission.hpp"
#include "emulator/counts/counts.hpp"

namespace cugrade {

[[nodiscard]] std::set<emulator::Line> lines_with_loaded_indices(std::span<const SourceFile>);

}  // namespace cugrade

// Fixed reports that are pushed through every format.
#pragma once

#include "core/report.hpp"
#include "core/roofline.hpp"
#include "core/sweep.hpp"

namespace cugrade {

/// On the emulated GPU: one task right, one wrong in several ways, one that needs a GPU throughout.
[[nodiscard]] Report sample_report();
/// Tasks whose causes are known: proven, likely, and beside a failure that they do not explain.
[[nodiscard]] Report sample_causes();
/// A submission that does not compile.
[[nodiscard]] Report sample_compile_error();
/// The same with the seal of a fixed key, and what stands for a signature.
[[nodiscard]] Report sample_sealed();
/// On a GPU: two measured speedups, one lost.
[[nodiscard]] Report sample_gpu();
/// On a GPU: a crossing, a wrong program, a size that was skipped, names that need care.
[[nodiscard]] Sweep sample_sweep();
/// On a GPU: below each roof, a wrong task, and one without a model.
[[nodiscard]] Roofline sample_roofline();

}  // namespace cugrade

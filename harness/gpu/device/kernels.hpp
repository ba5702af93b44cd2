// What the grader itself runs on a GPU: it makes inputs, poisons outputs, compares and
// measures bandwidth there, because the data of timed calls is tens of gigabytes. Each function
// puts its work into the default stream of the current device and returns cudaGetLastError.
#pragma once

#include <cstddef>
#include <cstdint>

#include <driver_types.h>

#include "core/array.hpp"
#include "gpu/device/sets.hpp"

namespace cugrade::device {

/// Fills `bytes` (a multiple of 8) with poison.
cudaError_t poison(void* at, std::uint64_t bytes, std::uint64_t seed);
/// Fills the guard bands of all blocks, and leaves the contents.
cudaError_t fill_guards(void* at, Blocks, std::uint64_t seed);
/// Writes the offset of a byte of a guard band that is no longer poison, the first one, to *first,
/// which starts as all ones.
cudaError_t check_guards(const void* at, Blocks, std::uint64_t seed, std::uint64_t* first);

/// Makes one column of `maps[set]` for each block, from the base's column. All pointers: device.
cudaError_t make_column(void* at, Blocks, const void* base, const TableMap* maps,
                        std::uint64_t rows, std::uint64_t row_bytes);

/// Writes the offset of the first of `bytes` (a multiple of 16) that differ to *first, which starts
/// as all ones.
cudaError_t first_difference(const void* a, const void* b, std::uint64_t bytes,
                             std::uint64_t* first);

/// What a comparison found; device memory, to be zeroed before.
struct Difference {
    std::uint64_t wrong = 0;
    std::uint64_t unwritten = 0;  ///< wrong, and still poison
};
/// Compares the first `sets` blocks of `got` with those of `want`, of which block (first + i)
/// modulo want.count is that of block i. `bound`: the largest |got - want| of floats.
cudaError_t compare(DType, const void* got, Blocks got_blocks, const void* want, Blocks want_blocks,
                    std::uint32_t first, std::uint32_t sets, double bound,
                    std::uint64_t poison_seed, Difference*);

/// Reads `bytes` (a multiple of 64 KiB) once. *sink: so that the reads are not left out.
cudaError_t read_all(const void* at, std::uint64_t bytes, std::uint32_t* sink);

}  // namespace cugrade::device

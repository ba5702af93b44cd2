// What an experiment can make different in a program's execution, as plain values. The emulator
// says what is possible, the grader chooses, the emulator does it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.hpp"
#include "emulator/state/place.hpp"

namespace cugrade::emulator {

enum class InterventionKind : std::uint8_t {
    /// A comparison passes others. `value`: 1: one more (`<` to `<=`), -1: one fewer (`<=` to `<`),
    /// 2: turned around (`<` to `>`), 3: of the other signedness, 4: `==` to `!=` and back.
    comparison,
    /// The threads of a block that come by wait for each other. `value`: 0: after the line, -1:
    /// before it.
    barrier,
    /// `__syncwarp()` is inserted. `value`: 0 and -1: the same, below the same branches; from 1 on:
    /// where the paths of a branch or the rounds of a loop meet that ends in the line, the
    /// innermost
    /// first, so that all lanes come by.
    warp_barrier,
    fence,   ///< `__threadfence()` after a line that stores
    atomic,  ///< a load, change and store become one atomic: `*p += x`, `if (x > *p) *p = x`
    /// Where a line accesses what lies outside of all memory, it loads 0 and stores nothing.
    ignore_outside,
    /// What one access moves is moved by several, so that its address may be any. `value`: 1: one
    /// for each element of a vector, 2: one for each byte.
    by_elements,
    /// A barrier of the source waits only for those threads of the block that come to it.
    meeting,
    /// A shared array of a kernel has `value` times as many elements. `instruction` is the number
    /// of
    /// the variable.
    shared_array,
    together,          ///< threads go a way past a barrier only if all of their block do
    unsigned_byte,     ///< numbers of `value` bits (8 or 16) are read without a sign
    wide_arithmetic,   ///< what becomes a number of 64 bits is computed with 64
    wide_accumulator,  ///< a sum that goes through a loop has 64 bits; `value`: 0: of floats, 1: of
                       ///< integers
    reinterpret,       ///< a conversion between integer and float keeps the bits
    full_mask,     ///< a warp-level call has `value` 0: all lanes, 1: the active lanes as its mask
    shuffle_lane,  ///< a shuffle's number is another; `value` as of `constant`
    constant,      ///< a number of 32 bits. `value`: 1, -1: so much more; 2: twice; -2: half
    parameter,     ///< a parameter of the function is used where another is. `value`: 100 times
                   ///< the operand's number, plus the number of the one that is taken
    element,       ///< an access takes the element `value` (1 or -1) further
    /// A first value, or one that stands in for an element that is missing. `value`: 0: 0, 1: the
    /// lowest of the type, 2: the highest (signed; of floats, infinities), 3: 1, 4: all ones, 5: 1
    /// where a round of a loop sets it again; and 8 times a mark of the number that is there.
    identity,
    // Which elements a thread takes, and what becomes of its result.
    /// The step of a loop, or the distance of a thread's next element, is `value` 1: of the whole
    /// grid, -1: of one block; above 1: a number of threads that is replaced by blockDim.x; 10,000
    /// and
    /// more: so many times as long.
    stride,
    global_index,  ///< `threadIdx.x` counts the threads of all blocks
    unclamped,     ///< a value is not limited. `value`: the limit, as bits
    adding_store,  ///< a store into global memory adds, atomically
    widened_sign,  ///< a number of 32 bits becomes one of 64 with the other signedness
    other_sign,    ///< a division, shift to the right, minimum or maximum is of the other
                   ///< signedness. `value`: 1: with signs, -1: without
    untruncated,   ///< a number that is cut to 32 bits and widened again keeps all of its bits
    release,       ///< a store releases what is before it; only the checkers see the difference
    acquire,       ///< a load acquires; the same
    retry,         ///< a compare-and-swap is tried until it succeeds
    compare_bits,  ///< floats are equal if their bits are
    odd_halving,   ///< a probe: a loop that halves an odd number ends the launch
    counter_wrap,  ///< a probe: a counter of `value` bits that is full ends the launch
    zero_shared,   ///< shared memory begins as zeros, not as garbage
    zero_memory,   ///< what the program allocates on the device begins as zeros
    // Of the launches of the kernel `function` at one place. `instruction` is where that is in the
    // executable; 0: not known. A session adds the line, if line tables have it.
    grid_larger,     ///< `value`: 1: one block more in each dimension in use; else: so many times
    launch_swapped,  ///< the numbers of grid and block are exchanged
    launch_xy,       ///< x and y are exchanged. `value`: 0: both, 1: of the grid, 2: of the block
    dynamic_shared,  ///< `value` times as many bytes of dynamic shared memory
    /// A block in x alone has the next power of two of threads, and as much more dynamic shared
    /// memory. `value`: the number of threads that it has.
    block_rounded,
    /// Two integers of the parameters are exchanged. `value`: the byte offset of one, times 2^20,
    /// plus that of the other, times 2^4, plus their bytes (4 or 8).
    numbers_exchanged,
    // Of the host's calls. `instruction` is where the call is in the executable.
    copy_bytes,          ///< a copy has `value` times as many bytes
    fill_bytes,          ///< a cudaMemset has
    fill_numbers,        ///< it sets each number of `value` bytes (or the one of 4 or 8 that there
                         ///< is), not each byte
    allocate_bytes,      ///< a cudaMalloc has
    streams_waited_for,  ///< the work in all streams is done in the order of the calls
    children_first,      ///< kernels that kernels launch run when they are launched
    children_in_tail,    ///< they run after the grid that launches them
    count,
};
[[nodiscard]] std::string_view name_of(InterventionKind);
[[nodiscard]] std::optional<InterventionKind> intervention_kind(std::string_view name);

/// One thing that an experiment makes different in a program's execution. The source stays as it
/// is. Of code, it changes every instruction that the compiler has made of the place: a loop that
/// is unrolled has several, and so has a function that is inlined twice.
struct Intervention {
    InterventionKind kind{};
    /// The PTX function of the first instruction that is changed; of launches, the kernel; empty:
    /// of memory or host calls.
    std::string function;
    std::uint32_t instruction =
        0;                   ///< its index in the function, as loaded; of calls, see the kind
    std::int64_t value = 0;  ///< what else the kind needs
    Place place;             ///< the line that an edit would change
    std::string text;        ///< "`<=` to `<`"

    /// The same edit of the source. One place may have several numbers: a loop's first distance,
    /// and by what it is divided.
    [[nodiscard]] bool same_edit(const Intervention& o) const {
        return kind == o.kind && value == o.value && place == o.place &&
               ((kind != InterventionKind::constant && kind != InterventionKind::parameter) ||
                text == o.text) &&
               (place.line != 0 || (function == o.function && instruction == o.instruction));
    }
    bool operator==(const Intervention&) const = default;
};

[[nodiscard]] std::string to_json(std::span<const Intervention>);
[[nodiscard]] Result<std::vector<Intervention>> interventions_from_json(std::string_view);

}  // namespace cugrade::emulator

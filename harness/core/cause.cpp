#include "core/cause.hpp"

#include <algorithm>
#include <array>

namespace cugrade {
namespace {

constexpr std::array kinds{
    // Threads that do not wait for each other, or for what is not there.
    CauseKind{"missing_barrier", "a barrier is missing"},
    CauseKind{"divergent_barrier", "a barrier that some threads of the block do not reach"},
    CauseKind{"missing_warp_sync", "lanes of a warp do not wait for each other"},
    CauseKind{"missing_atomic", "threads change one word without an atomic operation"},
    CauseKind{"in_place", "elements are overwritten while others still read them"},
    CauseKind{"missing_fence", "a flag is seen before the data that it announces"},
    // Locks.
    CauseKind{"lock_not_held", "data of a lock are used without the lock"},
    CauseKind{"lock_order", "two locks are taken in different orders"},
    CauseKind{"lock_taken_twice", "a thread waits for a lock that it holds"},
    CauseKind{"lock_not_released", "a lock is not released"},
    CauseKind{"lock_not_initialised", "a lock is used before it is set to free"},
    CauseKind{"lock_per_lane", "lanes of one warp wait for each other's lock"},
    // Host and device.
    CauseKind{"stream_not_waited_for", "work in a stream is not waited for"},
    CauseKind{"child_not_in_tail", "the results of a child kernel are used before it has run"},
    // Places in memory.
    CauseKind{"missing_bounds_check", "threads beyond the end are not kept out"},
    CauseKind{"misaligned", "a wide access at an address that is no multiple of its size"},
    CauseKind{"array_too_small", "an array is too small"},
    CauseKind{"size_in_elements", "a size in elements is given where bytes are meant"},
    CauseKind{"wrong_copy_direction", "a copy goes in the wrong direction"},
    CauseKind{"uninitialised_output", "an output is added to before it is set"},
    CauseKind{"uninitialised_shared", "shared memory is read before it is set"},
    CauseKind{"uninitialised_variable", "a variable is read before it is set"},
    CauseKind{"host_pointer_in_kernel", "a kernel uses a pointer to the host's memory"},
    CauseKind{"device_pointer_on_host", "the host uses a pointer to the device's memory"},
    CauseKind{"use_after_free", "memory is used after it was freed"},
    CauseKind{"leak", "memory is allocated in each call and never freed"},
    CauseKind{"state_kept_between_calls", "something is left over from the call before"},
    CauseKind{"input_changed", "an input is written to"},
    // Which elements are worked on.
    CauseKind{"grid_too_small", "the grid has too few blocks"},
    CauseKind{"wrong_stride", "the stride of a loop is wrong"},
    CauseKind{"tail_ignored", "the last, partial block or tile is left out"},
    CauseKind{"elements_ignored", "some elements are left out"},
    CauseKind{"nothing_launched", "the function launches no kernel"},
    CauseKind{"launch_refused", "a kernel launch is refused"},
    CauseKind{"launch_swapped", "the numbers of blocks and of threads are swapped"},
    CauseKind{"blocks_not_combined", "the results of the blocks are not combined"},
    // Numbers.
    CauseKind{"integer_overflow", "an integer overflows"},
    CauseKind{"counter_too_narrow", "a counter is too narrow"},
    CauseKind{"accumulator_too_narrow", "a sum is kept in a type that is too narrow"},
    CauseKind{"signed_byte", "a byte is taken for a signed number"},
    CauseKind{"sign_lost", "a number loses its sign, or gets one, when it is widened"},
    CauseKind{"unsigned_index", "an unsigned index goes below zero"},
    CauseKind{"saturated", "a value is clamped that must wrap around, or the reverse"},
    CauseKind{"converted_not_reinterpreted", "a value is converted where its bits are meant"},
    // The algorithm.
    CauseKind{"wrong_identity", "the start value is not neutral"},
    CauseKind{"inclusive_exclusive", "an inclusive scan is confused with an exclusive one"},
    CauseKind{"mask_reversed", "the mask is applied in reverse"},
    CauseKind{"transposed", "rows and columns are swapped"},
    CauseKind{"ghost_policy", "elements beyond the edge have the wrong values"},
    CauseKind{"halo_missing", "the halo of a tile is missing"},
    CauseKind{"radius_wrong", "the radius is wrong"},
    CauseKind{"not_a_power_of_two", "a loop that halves needs a power of two"},
    CauseKind{"tree_level_missing", "a level of the tree is missing"},
    CauseKind{"wrong_element", "a thread uses the wrong element"},
    CauseKind{"wrong_shuffle_mask", "the mask of a shuffle is wrong"},
    CauseKind{"compare_as_value", "a loop compares values where their bits are meant"},
    CauseKind{"no_retry", "a compare-and-swap that failed is not repeated"},
    CauseKind{"wrong_result_returned", "an operation returns the wrong one of its values"},
    // Before it runs, and how fast.
    CauseKind{"function_missing", "the function is missing"},
    CauseKind{"function_misspelled", "the function has another name"},
    CauseKind{"wrong_signature", "the function has other parameters"},
    CauseKind{"forbidden_call", "something is used that the assignment forbids"},
    CauseKind{"does_not_compile", "the program does not compile"},
    CauseKind{"too_slow", "the program is too slow"},
};

}  // namespace

std::string_view name(Proof proof) {
    switch (proof) {
        case Proof::likely: return "likely";
        case Proof::proven: return "proven";
        case Proof::untold: break;
    }
    return "";
}

std::optional<Proof> proof_from_name(std::string_view text) {
    for (const Proof proof : {Proof::likely, Proof::proven, Proof::untold})
        if (text == name(proof)) return proof;
    return std::nullopt;
}

std::span<const CauseKind> causes() { return kinds; }

const CauseKind* cause_kind(std::string_view id) {
    const auto* found = std::ranges::find(kinds, id, &CauseKind::id);
    return found == kinds.end() ? nullptr : found;
}

}  // namespace cugrade

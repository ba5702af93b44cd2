// Shadow memory of the race detector: who touched which byte last.
//
// Theory of operation. Each place remembers its last write and its last reads as epochs. Shadow
// memory is kept in lines of 128 bytes. As long as only whole warps touch a line, lane after lane,
// one epoch stands for all of it. Other patterns need an epoch per word, and accesses of less than
// a word an epoch per byte. If neighbouring lanes read neighbouring bytes that are no whole line,
// the read is kept as a strip until somebody writes there.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

namespace cugrade::emulator::races {

using u8 = std::uint8_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using Time = u32;

/// Who touched a place last, when, and with which instruction.
struct Epoch {
    u32 who = 0;    ///< thread number in the grid, warps padded to 32 lanes; or see of_many
    Time time = 0;  ///< up to Detector::floor_: nobody in this launch
    u32 what = 0;   ///< index in Program::code and the flags below
};
constexpr u32 code_mask = (1u << 22) - 1;
/// The thread held a lock and no fence had come since it took it: see race_locks.cpp.
constexpr u32 is_unguarded = 1u << 22;
/// Strong among the threads of one block only: atomicAdd_block.
constexpr u32 is_narrow = 1u << 23;
constexpr u32 is_strong = 1u << 24;
constexpr u32 is_atomic = 1u << 25;
/// Several lanes did it together.
constexpr u32 is_wide = 1u << 26;
// Reads of several threads that nothing orders share an epoch. It stands for all threads of the
// warp or block of `who`. If they are of several blocks, `who` is the index of a list of epochs.
constexpr u32 level_mask = 3u << 27, of_warp = 1u << 27, of_block = 2u << 27, of_many = 3u << 27;
/// In the one epoch of a line: the logarithm to base 2 of the words that each lane touched. In a
/// list of epochs: the same, or of_word, if the epoch is not of a line.
constexpr u32 shift_at = 29, shift_mask = 3u << shift_at, of_word = 3u << shift_at;
/// Strong, but no atomic.
constexpr u32 is_volatile = 1u << 31;

constexpr u32 line_bytes = 128, line_words = 32;
constexpr std::size_t longest_list = 64;

/// Reads of neighbouring bytes by neighbouring lanes of one instruction, in one line.
struct Strip {
    Epoch epoch;  ///< of its first byte
    /// Its first byte, its number of bytes, and the bytes of each lane. They share one number
    /// because the processor would stall if it read back together what it has just written apart.
    u32 extent = 0;
    [[nodiscard]] u32 first() const { return extent & 0xFF; }
    [[nodiscard]] u32 count() const { return extent >> 8 & 0xFF; }
    [[nodiscard]] u32 lane_bytes() const { return extent >> 16; }
};
/// The strips of a line in the order in which they came, at least one. The first ones are in
/// `older` if they do not all fit in here.
struct alignas(64) Strips {
    Strips* older = nullptr;
    u32 count = 0;  ///< here
    u32 total = 0;  ///< here and in the older ones
    std::array<Strip, 3> strip;
};
/// Lines of shared memory keep more strips: a stencil reads each line of its tile many times, and
/// such lines are few.
constexpr std::size_t most_global_strips = 8, most_shared_strips = 64;

/// One plane (writes or reads) of 128 bytes of memory.
struct ShadowLine {
    Epoch all;                 ///< word k: thread `who` + (k >> shift)
    bool by_byte = false;      ///< `cells` has an epoch per byte, not per word
    Epoch* cells = nullptr;    ///< if there, `all` is void
    Strips* strips = nullptr;  ///< only of reads, in addition to the epochs
};
struct alignas(64) Plane {
    ShadowLine write, read;
};

/// Objects that stay where they are, and are used again.
template <class T>
class Pool {
public:
    T* take() {
        if (!free_.empty()) {
            T* const object = free_.back();
            free_.pop_back();
            return object;
        }
        if (next_ == chunks_.size() * per_chunk)
            chunks_.push_back(std::make_unique<T[]>(per_chunk));
        T* const object = &chunks_[next_ / per_chunk][next_ % per_chunk];
        ++next_;
        return object;
    }
    void give(T* object) { free_.push_back(object); }
    void clear() {
        next_ = 0;
        free_.clear();
    }

private:
    static constexpr std::size_t per_chunk = 512;
    std::size_t next_ = 0;
    std::vector<T*> free_;
    std::vector<std::unique_ptr<T[]>> chunks_;
};
/// The epochs of a line, by word or by byte.
template <u32 count>
struct Cells {
    std::array<Epoch, count> epoch;
};

}  // namespace cugrade::emulator::races

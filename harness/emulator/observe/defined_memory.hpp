// Which bytes of global, shared and local memory are undefined.
//
// Theory of operation. A bit for each byte is set if the byte is defined: host or kernel has
// written it, with a defined value. Global memory is watched from its allocation on. Memory that
// was allocated before the watch began, or that may be written behind the emulator's back, counts
// as written. Shared and local memory begin undefined in each block. If a byte is undefined because
// an undefined value was stored there, its origin says where the value came from. A byte that
// nobody has written has no origin.
#pragma once

#include <map>
#include <unordered_map>
#include <vector>

#include "emulator/observe/by_block.hpp"
#include "emulator/observe/undefined_registers.hpp"
#include "emulator/state/observer.hpp"

namespace cugrade::emulator {

/// By lane, a bit for each byte of an access.
using LaneBytes = std::array<std::uint32_t, lanes>;

/// A run of undefined bytes of this length or more is no padding.
constexpr std::uint64_t most_padding = 8;

class DefinedMemory final : public MemoryObserver {
public:
    /// Watches the memory until it is destroyed; one at a time.
    explicit DefinedMemory(Memory&);
    ~DefinedMemory() override;
    DefinedMemory(const DefinedMemory&) = delete;
    DefinedMemory& operator=(const DefinedMemory&) = delete;

    void allocated(std::uint64_t address, std::uint64_t bytes) override;
    void freed(std::uint64_t address) override;
    void written(std::uint64_t address, std::uint64_t bytes) override;
    void copied(std::uint64_t to, std::uint64_t from, std::uint64_t bytes) override;

    /// The unwritten bytes of a range. A run of fewer than most_padding bytes may be padding, so it
    /// counts only if it is the whole range.
    struct Unwritten {
        std::uint64_t bytes = 0;
        std::uint64_t first = 0;       ///< address of the first of them
        std::uint64_t allocation = 0;  ///< address at which their allocation begins
    };
    [[nodiscard]] Unwritten unwritten(std::uint64_t address, std::uint64_t bytes) const;
    /// Are all of these bytes of global memory undefined?
    [[nodiscard]] bool is_undefined(std::uint64_t address, std::uint32_t bytes) const;
    [[nodiscard]] bool is_torn(const Ins*, const Access&, std::uint32_t lane,
                               std::uint32_t missing) const;

    void launch_started(const Launch&);
    void block_started(const Block&);
    /// Marks written bytes as defined. Returns which of the bytes read are undefined, valid until
    /// the next call; nullptr if there are none.
    const LaneBytes* accessed(const Warp& w, const Ins* i, const Access& a) {
        bool any = false;
        switch (a.space) {
            case ptx::Space::global: any = in_global(i, a); break;
            case ptx::Space::shared: any = in_shared(w, a); break;
            case ptx::Space::local: any = in_local(w, a); break;
            default: break;
        }
        return any ? &missing_ : nullptr;
    }
    /// Which of the bytes are undefined, a bit each.
    [[nodiscard]] std::uint32_t missing(const Warp&, ptx::Space, std::uint32_t lane,
                                        std::uint64_t address, std::uint32_t bytes);
    /// Notes a store: the bytes in `undefined` become undefined, its other bytes defined.
    void write(const Warp&, ptx::Space, std::uint32_t lane, std::uint64_t address,
               std::uint32_t bytes, std::uint32_t undefined, UndefinedOrigin);
    /// The origin of an undefined byte; 0 if nobody has written it.
    [[nodiscard]] UndefinedOrigin& origin_at(const Warp&, ptx::Space, std::uint32_t lane,
                                             std::uint64_t address);

private:
    /// A bit for each byte of a range.
    class Bits {
    public:
        void reset(std::uint64_t bytes) {
            left_ = bytes;
            words_.assign((bytes + 63) / 64, 0);
        }
        void set(std::uint64_t from, std::uint64_t count);
        void clear(std::uint64_t from, std::uint64_t count);
        /// Which of at most 32 bits from `from` on are not set, a bit each.
        [[nodiscard]] std::uint32_t missing(std::uint64_t from, std::uint32_t count) const;
        [[nodiscard]] bool all(std::uint64_t from, std::uint64_t count) const;
        [[nodiscard]] bool any(std::uint64_t from, std::uint64_t count) const;
        [[nodiscard]] bool full() const { return left_ == 0; }

    private:
        std::uint64_t left_ = 0;
        std::vector<std::uint64_t> words_;
    };
    struct Allocation {
        Range range;
        Bits bits;
        /// The host's writes of less than the largest element. Unwritten bytes in the same element
        /// are no padding.
        std::vector<Range> pieces;
    };
    /// Where undefined bytes in memory came from, by word of 4 bytes.
    using Origins = std::unordered_map<std::uint64_t, UndefinedOrigin>;
    struct BlockState {
        Bits shared;
        /// By warp and byte of a thread's stack: the lanes for which it is defined.
        std::vector<std::vector<std::uint32_t>> local;
        Origins shared_origins, local_origins;
    };

    [[nodiscard]] const Allocation* find(std::uint64_t address) const;
    [[nodiscard]] Allocation* find(std::uint64_t address);
    Allocation* cached(const Ins*, std::uint64_t address);
    bool in_global(const Ins*, const Access&);
    bool in_shared(const Warp&, const Access&);
    bool in_local(const Warp&, const Access&);

    Memory& memory_;
    std::map<std::uint64_t, Allocation> allocations_;
    const Launch* launch_ = nullptr;
    std::vector<Allocation*> by_instruction_;
    ByBlock<BlockState> blocks_;
    Origins global_origins_;
    LaneBytes missing_{};
};

}  // namespace cugrade::emulator

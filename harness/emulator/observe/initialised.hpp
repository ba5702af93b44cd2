// Reads of memory that nobody has written: global, shared and local.
//
// Theory of operation. A bit per byte says whether anyone, host or kernel, has written it. Global
// memory is known from its allocation on; what was allocated before the checker came, or may be
// written behind the emulator's back, counts as written. A read is reported if all its bytes are
// unwritten: structures are copied with their padding and vectors with elements that nobody uses,
// and such a read has a byte that means something.
#pragma once

#include <map>
#include <memory>
#include <unordered_map>
#include <vector>

#include "emulator/observe/finding.hpp"

namespace cugrade::emulator {

class Initialised final : public Observer, public MemoryObserver {
public:
    /// Watches the memory until it is destroyed; one at a time.
    Initialised(Findings&, Memory&);
    ~Initialised() override;

    void allocated(std::uint64_t address, std::uint64_t bytes) override;
    void freed(std::uint64_t address) override;
    void written(std::uint64_t address, std::uint64_t bytes) override;
    void copied(std::uint64_t to, std::uint64_t from, std::uint64_t bytes) override;

    /// What nobody has written of a range: only runs of 8 bytes or more, as less may be padding, or
    /// all of it.
    struct Unwritten {
        std::uint64_t bytes = 0;
        std::uint64_t first = 0;       ///< an address
        std::uint64_t allocation = 0;  ///< its first address
    };
    [[nodiscard]] Unwritten unwritten(std::uint64_t address, std::uint64_t bytes);

    void launch_started(const Launch&) override;
    void launch_ended(const Launch&) override;
    void block_started(const Block&) override;
    void accessed(const Warp&, const Ins*, const Access&) override;

private:
    /// A bit for each byte of a range.
    class Bits {
    public:
        void reset(std::uint64_t bytes) {
            left_ = bytes;
            words_.assign((bytes + 63) / 64, 0);
        }
        void set(std::uint64_t from, std::uint64_t count);
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
    };
    struct BlockState {
        Bits shared;
        /// By warp and byte of a thread's stack: the lanes that have written it.
        std::vector<std::vector<std::uint32_t>> local;
    };

    Allocation* find(std::uint64_t address);
    Allocation* cached(const Ins*, std::uint64_t address);
    BlockState& state_of(const Block*);
    void in_global(const Warp&, const Ins*, const Access&);
    void in_shared(const Warp&, const Ins*, const Access&);
    void in_local(const Warp&, const Ins*, const Access&);
    void report(const Warp&, const Ins*, const Access&, std::uint32_t lane);

    Findings& findings_;
    Memory& memory_;
    std::map<std::uint64_t, Allocation> allocations_;
    const Launch* launch_ = nullptr;
    std::vector<Allocation*> by_instruction_;
    std::unordered_map<const Block*, std::unique_ptr<BlockState>> blocks_;
    const Block* last_block_ = nullptr;
    BlockState* last_state_ = nullptr;
    std::unordered_map<std::uint64_t, std::size_t> reported_;
};

}  // namespace cugrade::emulator

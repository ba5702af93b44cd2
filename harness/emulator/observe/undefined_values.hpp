// Follows undefined values through a block: from where they arise, through registers and memory, to
// where they are used.
//
// Theory of operation. There are two kinds of undefined values (UndefinedKind), and one engine for
// both. A warp is followed as long as any of its registers is undefined, so a program without
// undefined values pays only for the look at its loads. undefined_flow.hpp says how instructions
// pass undefined bits on; defined_memory.hpp says which bytes of memory are undefined. An undefined
// byte that is stored makes the memory undefined, and is followed again when it is loaded.
//
// Each kind has a finder, the checker that knows where its values come from. It numbers them,
// decides which stores are mere copies, and reports uses.
#pragma once

#include <vector>

#include "emulator/observe/by_block.hpp"
#include "emulator/observe/defined_memory.hpp"
#include "emulator/observe/undefined_flow.hpp"

namespace cugrade::emulator {

/// A lane stores a value of which some bits are undefined.
struct UndefinedStore {
    std::uint32_t lane = 0;
    std::uint32_t bytes = 0;      ///< all that the lane stores
    std::uint32_t undefined = 0;  ///< a bit for each byte that is undefined as a whole
    UndefinedOrigin origin = 0;

    [[nodiscard]] bool is_all() const {
        return undefined == (bytes >= 32 ? ~std::uint32_t{0} : (std::uint32_t{1} << bytes) - 1);
    }
};

/// Finds undefined values of one kind, and is told what becomes of them.
class UndefinedFinder {
public:
    virtual void used(const Warp&, const Ins*, std::uint32_t lane, UndefinedOrigin, ValueUse) = 0;
    /// True: the store is no use, and makes memory undefined. False: the store is a use, and the
    /// finder has reported it.
    virtual bool is_mere_copy(const Warp&, const Ins*, const Access&, const UndefinedStore&) = 0;

protected:
    ~UndefinedFinder() = default;
};

/// The finder of UndefinedKind::unwritten: numbers loads of bytes that nobody has written.
class UnwrittenFinder : public UndefinedFinder {
public:
    virtual UndefinedOrigin note_load(const Warp&, const Ins*, const Access&, const LaneBytes&) = 0;

protected:
    ~UnwrittenFinder() = default;
};

class UndefinedValues final : private UndefinedFlow::Uses {
public:
    /// Watches the memory until it is destroyed; one at a time.
    explicit UndefinedValues(Memory& memory) : memory_(memory) {}

    /// Both finders have to be set before the first launch.
    void set_unwritten_finder(UnwrittenFinder& finder) {
        unwritten_ = &finder;
        finders_[static_cast<std::size_t>(UndefinedKind::unwritten)] = &finder;
    }
    void set_shuffled_finder(UndefinedFinder& finder) {
        finders_[static_cast<std::size_t>(UndefinedKind::shuffled)] = &finder;
    }
    [[nodiscard]] DefinedMemory& memory() { return memory_; }

    /// Notes that a shuffle, which is about to run, gives undefined values to the lanes in `mask`.
    void add(const Warp&, const Ins*, std::uint32_t mask, const LaneOrigins&);

    // As Observer's.
    void launch_started(const Launch&);
    void block_started(const Block&);
    void accessed(const Warp& w, const Ins* i, const Access& a) {
        if (a.kind == Access::Kind::store && (w.followed || i->touch == Touch::async)) [[unlikely]]
            return store(w, i, a);
        if (const LaneBytes* missing = memory_.accessed(w, i, a)) [[unlikely]]
            loaded(w, i, a, *missing);
    }
    void executed(const Warp&, const Ins*, std::uint32_t mask);
    void exchanged(const Warp& w, const Ins* i, std::uint32_t group) {
        if (w.followed) [[unlikely]]
            flow_.exchange(undefined_in(w), w, i, group);
    }
    void passed(const Warp&, const std::byte* to, const Area& to_area, const std::byte* from,
                const Area& from_area);
    void cleared(const Warp&, const std::byte* frame, const std::vector<Operand>&);
    void consumed(const Warp&, const Ins*, std::uint32_t lane, std::uint64_t address,
                  std::uint32_t bytes);

private:
    using BlockState = std::vector<UndefinedWarp>;

    void used(const Warp&, const Ins*, std::uint32_t lane, UndefinedOrigin, ValueUse) override;
    UndefinedFinder& finder_of(UndefinedOrigin origin) {
        return *finders_[static_cast<std::size_t>(kind_of(origin))];
    }
    UndefinedWarp& undefined_in(const Warp& w) { return blocks_[w.block][w.index]; }
    void loaded(const Warp&, const Ins*, const Access&, const LaneBytes& missing);
    void load_to_registers(const Warp&, const Ins*, const Access&, const LaneBytes& missing);
    void changes(const Warp&, const Ins*, const Access&, const LaneBytes& missing);
    void store(const Warp&, const Ins*, const Access&);
    void store_registers(const Warp&, const Ins*, const Access&);

    DefinedMemory memory_;
    UndefinedFlow flow_{*this};
    UnwrittenFinder* unwritten_ = nullptr;
    std::array<UndefinedFinder*, static_cast<std::size_t>(UndefinedKind::count)> finders_{};
    const Launch* launch_ = nullptr;
    ByBlock<BlockState> blocks_;
    LaneBytes async_{};  ///< undefined bytes that cp.async has read and is about to store
    UndefinedOrigin async_origin_ = 0;
};

}  // namespace cugrade::emulator

// Finds uses of global, shared and local memory that nobody has written.
//
// Theory of operation. A load of an unwritten byte (see DefinedMemory) is no fault yet: it makes
// bits of a register undefined, and UndefinedValues follows them. Where a program uses them, it
// gets a finding, which names the load. A store to shared, local or parameter memory passes the
// undefined bytes on. So does a store to global memory of a copy that is undefined only in part,
// because programs copy structures with their padding and vectors with elements that nobody uses. A
// store to global memory is a use if the value is undefined as a whole, or computed from undefined
// bits. Stores of pieces that are small enough to be padding are judged when the launch has ended:
// many pieces side by side are no padding.
#pragma once

#include <unordered_map>
#include <vector>

#include "emulator/observe/findings.hpp"
#include "emulator/observe/undefined_values.hpp"

namespace cugrade::emulator {

class Initialised final : public UnwrittenFinder {
public:
    Initialised(Findings&, UndefinedValues&);

    void launch_started(const Launch&);
    void launch_ended(const Launch&);

    UndefinedOrigin note_load(const Warp&, const Ins*, const Access&,
                              const LaneBytes& missing) override;
    bool is_mere_copy(const Warp&, const Ins*, const Access&, const UndefinedStore&) override;
    void used(const Warp&, const Ins*, std::uint32_t lane, UndefinedOrigin, ValueUse) override;

private:
    /// A store to global memory of an undefined value that may be padding.
    struct Copy {
        std::uint64_t address;
        std::uint32_t bytes, lane;
        UndefinedOrigin origin;
        const Ins* at;
    };
    /// A load of bytes that nobody has written, with the details for a finding.
    struct Load {
        const Ins* at = nullptr;
        ptx::Space space = ptx::Space::global;
        Access::Kind kind = Access::Kind::load;
        std::uint32_t bytes = 0, mask = 0, warp = 0;
        std::array<std::uint32_t, 3> block{};
        std::array<std::uint64_t, lanes> address{};
        LaneBytes missing{};
        bool is_torn = false;  ///< the host wrote a part of an element: see DefinedMemory::is_torn
    };

    [[nodiscard]] bool may_be_padding(const Ins*, std::uint32_t bytes) const;
    [[nodiscard]] static std::uint32_t reader_of(const Warp&, const Load&, std::uint32_t lane);
    void judge_copies();
    void report(const Load&, std::uint32_t lane, const Ins* used_at, ValueUse);

    Findings& findings_;
    UndefinedValues& undefined_;
    const Launch* launch_ = nullptr;
    std::unordered_map<std::uint64_t, std::size_t> reported_;
    std::vector<Load> loads_;   ///< by number of UndefinedOrigin, from 1
    std::vector<Copy> copies_;  ///< of this launch; judged at its end
};

}  // namespace cugrade::emulator

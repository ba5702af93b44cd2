// Finds what kernels store in memory of the program's own, and nobody reads: sums of blocks that
// the next kernel forgets, a level whose totals are added to nothing.
//
// Theory of operation. Each word remembers who stored it last, and whether it was read since. When
// the program has ended, the words of one allocation that one line has stored in one launch are
// taken together. A few that nobody reads are usual, such as the last block's total. Only where
// most are left is it said: then what the line has computed does not reach the result. Only asked
// for where a result is wrong.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <unordered_map>
#include <vector>

#include "emulator/observe/findings.hpp"
#include "emulator/state/observer.hpp"

namespace cugrade::emulator {

class UnreadStores {
public:
    void launch_started(const Launch&);
    void accessed(const Warp&, const Ins*, const Access&);
    /// The range was read by other means than a kernel's load.
    void read(std::uint64_t address, std::uint64_t bytes);

    /// Where an allocation begins that belongs to the program; nothing: the address is not the
    /// program's.
    using OwnAllocation = std::function<std::optional<std::uint64_t>(std::uint64_t address)>;
    [[nodiscard]] std::vector<Finding> findings(const OwnAllocation&) const;

private:
    struct Site {
        std::string kernel;
        std::uint32_t launch = 0;
        Place place;
    };
    struct Word {
        std::uint32_t site = 0;
        bool is_read = false;
    };
    std::uint32_t site_of(const Warp&, const Ins*);

    std::uint32_t launches_ = 0;
    std::unordered_map<const Launch*, std::uint32_t> numbers_;  ///< of those that run
    std::vector<Site> sites_;
    std::unordered_map<std::uint64_t, std::uint32_t> site_of_;  ///< by launch and instruction
    std::unordered_map<std::uint64_t, Word> words_;             ///< by address / 4
    /// By word that was read: the site of the last load.
    std::unordered_map<std::uint64_t, std::uint32_t> readers_;
};

}  // namespace cugrade::emulator

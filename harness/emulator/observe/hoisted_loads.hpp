// Loads that the compiler has moved in front of the condition under which the source has them.
//
// Theory of operation. `if (t == 0) total += s[0];` needs no branch: the compiler lets all lanes
// load and add, and selects afterwards (selp) which of them keep what they had. It may do so
// because nothing happens to a lane whose value is dropped, and so such a lane has not read
// anything in the sense of the language. From a load all uses are followed down the straight line
// of code that it stands in. If they all end at one operand of selects by one predicate, its value
// tells at the load already which lanes drop theirs. Where the predicate is set between the load
// and the selects, the comparison of two numbers that sets it is done ahead.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "emulator/state/warp.hpp"

namespace cugrade::emulator {

class HoistedLoads {
public:
    void launch_started(const Program&);
    /// Of the lanes that load at an instruction of the program, those whose value is used.
    std::uint32_t used_lanes(const Warp& warp, std::uint32_t code, std::uint32_t mask) {
        if (known_[code] == no) return mask;
        return lanes_of(warp, code, mask);
    }

private:
    enum Known : std::uint8_t { unknown, no, yes };
    struct Selected {
        std::uint32_t predicate = 0;    ///< its row
        bool if_true = true;            ///< the value is used where the predicate holds
        const Ins* compares = nullptr;  ///< sets the predicate behind the load; null: it is set
        bool is_signed = false;
        std::string_view relation;  ///< "eq", "lt"
    };
    std::uint32_t lanes_of(const Warp&, std::uint32_t code, std::uint32_t mask);
    [[nodiscard]] std::optional<Selected> selected(std::uint32_t code);
    /// The end of the straight line of code that an instruction stands in.
    [[nodiscard]] std::uint32_t end_of_line(const ptx::Function&, std::uint32_t at);

    const Program* program_ = nullptr;
    std::vector<Known> known_;  ///< by instruction of the program
    std::unordered_map<std::uint32_t, Selected> selected_;
    /// By function: the instructions that branches lead to.
    std::unordered_map<const ptx::Function*, std::set<std::uint32_t>> targets_;
};

}  // namespace cugrade::emulator

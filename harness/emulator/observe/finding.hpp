// The list that all checkers add their findings to, and what they describe them with.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "emulator/exec/observer.hpp"
#include "emulator/findings/finding.hpp"

namespace cugrade::emulator {

/// Findings in the order in which they were first seen, each once.
class Findings {
public:
    explicit Findings(std::size_t limit = 100) : limit_(limit) {}
    /// The index of the finding, new or known; `no_finding` if the list is full.
    static constexpr std::size_t no_finding = SIZE_MAX;
    std::size_t add(Finding);
    void again(std::size_t index) {
        if (index != no_finding) ++all_[index].count;
    }
    /// Takes back reads of what nobody has written where a race says why: the writer came later.
    /// Indices that `add` gave are void afterwards.
    void drop_explained();
    [[nodiscard]] const std::vector<Finding>& all() const { return all_; }
    [[nodiscard]] std::uint64_t dropped() const { return dropped_; }
    void clear() {
        all_.clear();
        dropped_ = 0;
    }

private:
    std::size_t limit_;
    std::uint64_t dropped_ = 0;
    std::vector<Finding> all_;
};

[[nodiscard]] Finding finding_of(const Fault&);

/// "(1,0,0)"
[[nodiscard]] std::string triple(const std::array<std::uint32_t, 3>&);
/// The index of a thread of a block by its number.
[[nodiscard]] std::array<std::uint32_t, 3> thread_of(const Launch&, std::uint64_t number);
[[nodiscard]] std::array<std::uint32_t, 3> block_of(const Launch&, std::uint64_t number);
/// "`tile`, byte 16 of 1024": the variable of shared memory at an offset.
[[nodiscard]] std::string describe_shared(const Launch&, std::uint64_t offset);

}  // namespace cugrade::emulator

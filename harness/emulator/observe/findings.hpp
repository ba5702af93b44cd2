// The list to which all checkers add their findings, and functions that describe places.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "emulator/findings/finding.hpp"
#include "emulator/state/observer.hpp"

namespace cugrade::emulator {

/// Findings in the order in which they were first seen, each once.
class Findings {
public:
    explicit Findings(std::size_t limit = 100) : limit_(limit) {}
    static constexpr std::size_t no_finding = SIZE_MAX;
    /// Returns the index of the finding, new or known; `no_finding` if the list is full.
    std::size_t add(Finding);
    void again(std::size_t index) {
        if (index != no_finding) ++all_[index].count;
    }
    /// Drops each read of unwritten memory that a race in the same line explains: the writer came
    /// later. Indices that `add` has returned are void afterwards.
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

// What the cases of a task have shown, taken together.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/outcome.hpp"

namespace cugrade {

/// What the cases of a task have shown.
struct Symptoms {
    explicit Symptoms(const TaskOutcome&);

    std::set<std::string, std::less<>> kinds;  ///< of findings
    std::set<Verdict> verdicts;
    /// (file, line) of findings and faults, and of their second places.
    std::set<std::pair<std::string, int>> places;
    std::vector<const CaseOutcome*> failing;
    /// What the checkers saw in a case whose outcome does not have it.
    struct Watched {
        const CaseOutcome* of;
        std::vector<CheckerFinding> findings;
    };
    std::optional<Watched> watched;

    /// Adds what the checkers saw in a case later.
    void add(int case_id, std::vector<CheckerFinding>);
    [[nodiscard]] const std::vector<CheckerFinding>& findings_of(const CaseOutcome&) const;
    /// Kernels that were launched with blocks of so many threads, which is no power of two.
    std::map<std::string, long, std::less<>> odd_blocks;
    /// What the checkers saw of data that are used without their lock.
    std::optional<Cause> unlocked;
    /// What they saw of partial results that nobody reads.
    std::optional<Cause> unread;
    bool leaves_shared_array = false;  ///< an access past the end of a block's shared memory
    /// How many cases' patterns of wrong elements suggest a cause.
    std::map<std::string, std::size_t, std::less<>> suggested;

    [[nodiscard]] bool has(std::string_view kind) const { return kinds.contains(kind); }
    [[nodiscard]] bool has(Verdict verdict) const { return verdicts.contains(verdict); }
    [[nodiscard]] bool is_at(const SourceLocation&) const;
    /// Whether so many patterns suggest that cause that it is no chance.
    [[nodiscard]] bool suggest(std::string_view id) const;

private:
    void add(const CheckerFinding&);
    void look_for_shared_array(std::string_view message);
    void add(const std::optional<SourceLocation>&);
};

}  // namespace cugrade

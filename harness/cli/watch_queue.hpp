// What lands in a folder of hand-ins while a batch watches it, and in which order it is graded.
//
// Theory of operation. A hand-in has landed when it has not changed for a while: half a copy is
// never taken. What has landed waits as a copy of its own (watch_copies.hpp), so that a later one
// in the folder cannot take away what came in time. A later copy takes the place of the student's
// waiting one if it loses nothing by being later; if lateness costs it more, both wait, and each is
// an attempt. So at most one copy waits per student, assignment and step of lateness, however
// often somebody hands in. Students who have no grading come first, then whoever landed first.
//
// Nothing here asks a clock, a file or a record.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "record/rows.hpp"

namespace cugrade::cli {

/// A hand-in as it lies in the folder.
struct Seen {
    record::Who who;
    std::string stamp;            ///< another one when anything about its files has changed
    std::int64_t changed_at = 0;  ///< seconds since 1970
};

/// A hand-in that has landed.
struct LandedCopy {
    record::Who who;
    std::string sha256;
    std::filesystem::path source;
    std::string problem = {};  ///< why it cannot be graded; empty if it can
    std::int64_t landed_at = 0;
    int lateness = 0;  ///< what it costs to be so late: of two copies the higher one is worth less
};

class WatchQueue {
public:
    using Time = std::chrono::steady_clock::time_point;
    explicit WatchQueue(std::chrono::milliseconds settle) : settle_(settle) {}

    /// Takes what lies in the folder now. Whoever is not there any more does not wait any more;
    /// those copies are put into `gone`. Returns who has landed: to be put().
    [[nodiscard]] std::vector<record::Who> look(const std::vector<Seen>&, Time now,
                                                std::vector<LandedCopy>& gone);
    /// It has changed while its copy was made, so it lands later.
    void land_later(const record::Who&, Time now);
    [[nodiscard]] bool is_landing() const;
    /// Whether somebody is landing who began at this time or before.
    [[nodiscard]] bool is_landing_until(std::int64_t) const;
    /// Who is landing, or waits. What began to land after `until` is nobody's business.
    [[nodiscard]] std::size_t unfinished(std::optional<std::int64_t> until = {}) const;

    /// Returns the copies that wait no more: those whose place it takes, or itself if its content
    /// is the student's newest already.
    [[nodiscard]] std::vector<LandedCopy> put(LandedCopy);
    /// The same content does not wait again.
    void is_graded(const record::Who&, const std::string& sha256);
    /// It could not be graded: the same content may wait again, once it has landed again.
    void has_failed(const record::Who&);
    /// Takes out those that are graded next: at most one of a student, in their order.
    [[nodiscard]] std::vector<LandedCopy> next(std::size_t most);
    /// It was taken out, and is not graded.
    void put_back(LandedCopy);
    [[nodiscard]] std::size_t waiting() const { return waiting_.size(); }

private:
    struct State {
        std::string stamp;
        std::int64_t changed_at = 0;
        Time since{};
        bool has_landed = false;
    };
    struct Newest {
        std::string sha256;
        std::filesystem::path source;  ///< of the copy, while it waits or is graded
    };
    std::chrono::milliseconds settle_;
    std::map<record::Who, State> states_;
    std::vector<LandedCopy> waiting_;  ///< of each student, oldest first
    std::map<record::Who, Newest> newest_;
    std::set<record::Who> graded_;
};

/// How long gradings take that a watch does several at once of.
class Pace {
public:
    void add(std::size_t gradings, double seconds);
    /// Nothing: not known yet.
    [[nodiscard]] std::optional<double> seconds_for(std::size_t gradings) const;

private:
    double gradings_ = 0, seconds_ = 0;  ///< older ones weigh less
};

/// "3 hand-ins wait, about 2 min".
[[nodiscard]] std::string waiting_text(std::size_t waiting, const Pace&);

}  // namespace cugrade::cli

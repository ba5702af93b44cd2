// What a class has in common: counts, quartiles and the commonest errors. Pure functions of
// reports.
#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "core/outcome.hpp"
#include "record/class_view.hpp"

namespace cugrade::record {

/// Earned of judged points: 0 to 1. Of what was not judged at all: 0.
[[nodiscard]] double share_of(const Score&);
/// In percent, to a tenth: "17.5".
[[nodiscard]] std::string percent_text(double share);
/// How many have which tenth of the judged points; the last one takes those who have all.
using Tenths = std::array<std::size_t, 10>;
[[nodiscard]] std::size_t tenth_of(double share);

/// Why a person has to look at a submission: it may be trouble that pays, or bad luck. Empty:
/// nobody has to.
[[nodiscard]] std::string for_a_person(const Report&);

struct Quartiles {
    double least = 0, low = 0, median = 0, high = 0, most = 0;
};
/// By linear interpolation between the values beside a quartile; all 0 without values.
[[nodiscard]] Quartiles quartiles_of(std::vector<double> values);

struct CaseSummary {
    int id = 0;
    Visibility visibility = Visibility::open;
    std::string description;
    std::size_t judged = 0;
    std::map<Verdict, std::size_t> failures;
    [[nodiscard]] std::size_t failed() const;
};

/// One diagnosis, finding or verdict, and who has it.
struct ErrorPattern {
    Verdict verdict = Verdict::wrong_answer;  ///< of the first student who has it
    std::string text;                         ///< as that student reads it
    std::vector<const Row*> students;
};

struct TierSummary {
    Tier tier;
    std::size_t reached = 0;
};

struct SpeedSummary {
    std::vector<double> speedups;  ///< ascending
    Quartiles quartiles;
    bool is_modelled = false;  ///< some of them are
    std::vector<TierSummary> tiers;
};

struct TaskSummary {
    std::string name, title;
    std::size_t judged = 0;
    double mean_share = 0;  ///< of those who were judged
    std::map<Verdict, std::size_t> failures;
    std::vector<CaseSummary> cases;    ///< by id
    std::vector<ErrorPattern> errors;  ///< the commonest first
    SpeedSummary speed;
    [[nodiscard]] std::size_t failed() const;
};

struct AssignmentSummary {
    std::string id, title;
    std::size_t graded = 0, missing = 0, ungraded = 0, to_decide = 0;
    double possible = 0;  ///< points
    double mean_share = 0;
    Quartiles shares;
    Tenths tenths{};
    std::vector<TaskSummary> tasks;
    double grading_s = 0, gpu_s = 0;  ///< all gradings together
    std::vector<const Row*> slowest;
};

/// One for each assignment, in the order of their first rows. Points into the view.
[[nodiscard]] std::vector<AssignmentSummary> summaries_of(const ClassView&);

/// What a person has to look at first, the ungraded before those to decide on.
struct Concern {
    const Row* row = nullptr;
    std::string_view what;  ///< "not graded", "for a person to decide"
    std::string why;
};
[[nodiscard]] std::vector<Concern> concerns_of(const ClassView&);

}  // namespace cugrade::record

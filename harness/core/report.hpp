// The one value that every report format is written from.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/outcome.hpp"
#include "core/provenance.hpp"
#include "core/verdict.hpp"

namespace cugrade {

/// Points. `earned` of `judged` were earned; `possible - judged` could not be judged here.
struct Score {
    double earned = 0;
    double judged = 0;
    double possible = 0;
};

/// Limits on what the emulated GPU counts, each worth the same share of the points.
struct TechniqueReport {
    Score score;
    std::vector<Measure> measures;  ///< empty: not measured
};

struct TaskReport {
    std::string name;
    std::string title;
    Verdict verdict = Verdict::skipped;  ///< the worst of the cases that were judged
    Score score;
    Score correctness;
    Score performance;
    std::optional<TechniqueReport> technique;  ///< absent: no points for it
    double credit = 0;                         ///< of the highest tier reached
    double next_tier = 0;  ///< speedup that the next tier asks for; 0: none is left
    TaskOutcome outcome;
};

/// What shows whether a report was changed, and by it what: see report/seal.hpp.
struct ReportSeal {
    struct Section {
        std::string name;  ///< a key of the report, or `tasks.<name>`
        std::string sha256;
        bool operator==(const Section&) const = default;
    };
    std::vector<Section> sections;
    std::string key_id;      ///< of the grader's key
    std::string mac;         ///< of the sections, by the grader's key
    std::string public_key;  ///< of the course; empty: not signed
    std::string signature;   ///< of the sections, Ed25519
};

struct Report {
    static constexpr int schema_version = 1;
    std::string assignment;
    std::string assignment_title;
    std::string submission_file;
    std::string submission_sha256;
    std::string student;  ///< the id that hidden seeds are derived from; may be empty
    Provenance provenance;
    std::string policy_sha256;
    std::string replay;  ///< the command that gives this report again
    Score score;
    Verdict verdict = Verdict::skipped;
    std::string compile_output;  ///< compiler's messages, paths made relative; may be empty
    std::vector<TaskReport> tasks;
    std::vector<Phase> phases;  ///< where the time went
    double seconds = 0;
    std::vector<std::string> notes;  ///< "hidden cases use the development secret", ...
    std::optional<ReportSeal> seal;
};

}  // namespace cugrade

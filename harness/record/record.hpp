// record.db: every grading of a class, from which all else in its folder can be written again.
//
// Theory of operation. A SQLite database with one writer. A grading is one row, committed before
// its report files are written, so that a kill or a full disk at any moment leaves each grading
// whole or not there. Rows are added and never changed: a hand-in with other bytes is the student's
// next attempt, the same bytes graded again are another grading of that attempt, and of each
// attempt the last grading holds. Which attempt counts is the policy's word (attempts.hpp). Each
// row carries a code of the grader's key over all that it says, so nobody else can write one, move
// it to another student or change it.
//
// Beside the gradings lies the class as the last batch saw it: who handed in what, who is missing,
// by which rules marks come about. This has no code: nothing in it earns points.
//
// A database of an older cugrade gets what it lacks when it is opened (the steps in record.cpp).
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.hpp"
#include "record/marks.hpp"
#include "record/roster.hpp"
#include "seal/key.hpp"

namespace cugrade::record {

/// What one grading in a batch was of, and what came of it.
struct Grading {
    std::string assignment;
    std::string student;  ///< as the reports' files are named
    std::string submission_sha256;
    std::string inputs;     ///< all that the report depends on, line by line: inputs.hpp
    std::string graded_at;  ///< UTC, ISO 8601
    std::string report;     ///< JSON, sealed; empty: it could not be graded, and `problem` says why
    std::string facts;      ///< what scoring needs beside the report: facts.hpp
    std::string problem;
    /// Of this student at this assignment, from 1: this is another grading of that one. 0: add()
    /// numbers it.
    int attempt = 0;
    std::optional<std::int64_t> handed_in_at = {};  ///< seconds since 1970; nothing: not known
};

/// A hand-in of the class, or that there is none.
struct Entry {
    std::string assignment;
    std::string student;
    std::optional<Student> listed;  ///< in the roster
    std::string participant = {};   ///< Moodle's number of the hand-in
    std::string problem = {};       ///< why it could not be graded
    bool is_missing = false;        ///< in the roster, and nothing is handed in
    HandedIn handed_in = {};        ///< of the newest hand-in
};

/// By which rules an assignment's marks come about.
struct Rules {
    std::string assignment;
    std::string title = {};
    double possible = 0;  ///< points
    HandInPolicy hand_ins = {};
    std::string inputs = {};  ///< rules_in() of what is graded by them (inputs.hpp)
};

class Record {
public:
    /// Opens <folder>/record.db, which is made if it is missing. Errors: it cannot be written, it
    /// is no database of cugrade's, or a newer cugrade's.
    [[nodiscard]] static Result<Record> open(const std::filesystem::path& folder);
    /// The same for a folder that a batch has written. Errors: there is none.
    [[nodiscard]] static Result<Record> existing(const std::filesystem::path& folder);
    Record(Record&&) noexcept;
    Record& operator=(Record&&) = delete;
    ~Record();

    /// Commits gradings, all or none, and the rules with them, if they change. Returns the number
    /// of each one's attempt. Safe between threads. Errors: the disk is full, the file cannot be
    /// written.
    [[nodiscard]] Result<std::vector<int>> add(const seal::Key&, std::vector<Grading>,
                                               const std::vector<Rules>* = nullptr);

    struct Kept {
        Grading grading;
        bool is_ours = false;  ///< the grader with this key has written exactly this row
    };
    /// The last grading of each attempt, by assignment, student and attempt.
    [[nodiscard]] Result<std::vector<Kept>> attempts(const seal::Key&) const;

    /// Commits a person's decision, which takes the place of an earlier one.
    [[nodiscard]] Status decide(const seal::Key&, const Decision&);
    /// The last word on each mark, by assignment and student: a decision that holds, or that one is
    /// withdrawn. Errors: somebody else wrote one.
    [[nodiscard]] Result<std::vector<Decision>> decisions(const seal::Key&) const;

    /// Replaces the class and its rules.
    [[nodiscard]] Status set_class(const std::vector<Entry>&, const std::vector<Rules>&);
    /// In the order of set_class(), with the problems of their newest attempts.
    [[nodiscard]] Result<std::vector<Entry>> entries() const;
    /// By assignment. None where an older cugrade has written the record.
    [[nodiscard]] Result<std::vector<Rules>> rules() const;

private:
    struct Database;
    explicit Record(std::unique_ptr<Database>);
    [[nodiscard]] Status put_rules(const std::vector<Rules>&);
    [[nodiscard]] static Result<Record> open_file(const std::filesystem::path& file);
    std::unique_ptr<Database> database_;
};

/// Where a report lies, seen from the folder of the class. `extension`: of its format.
[[nodiscard]] std::string report_file(std::string_view assignment, std::string_view student,
                                      std::string_view extension);
/// <folder>/record.db
[[nodiscard]] std::filesystem::path record_file(const std::filesystem::path& folder);

}  // namespace cugrade::record

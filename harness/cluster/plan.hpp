// What a worker on another node has to know: the submissions, and how to grade them.
//
// The plan and all results lie in a folder that several machines see. Each such file begins with a
// code of the grader's key over its purpose, its place and its text. So a worker grades nothing,
// and a batch believes nothing, that somebody else has put there. Files are bounded in size, belong
// to the grader, and nobody else may read them (seal/private_file.hpp).
#pragma once

#include <cstddef>
#include <filesystem>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/executor.hpp"
#include "core/error.hpp"
#include "seal/key.hpp"

namespace cugrade::cluster {

/// Writes a file that was not there: whole or not at all, and never over another. The Error of one
/// that is there already is seal::is_there_already().
[[nodiscard]] Status write_coded(const std::filesystem::path&, const seal::Key&,
                                 std::string_view purpose,
                                 std::initializer_list<std::string_view> place,
                                 std::string_view text);
/// Errors: it cannot be read, is too large, or its code does not fit.
[[nodiscard]] Result<std::string> read_coded(const std::filesystem::path&, const seal::Key&,
                                             std::string_view purpose,
                                             std::initializer_list<std::string_view> place,
                                             std::size_t most_bytes);

struct PlanItem {
    std::string assignment;
    std::string student;
    std::filesystem::path source;  ///< absolute
    bool operator==(const PlanItem&) const = default;
};

/// How all of them are graded. Of secrets it has the files' names, and a code to compare with.
struct PlanOptions {
    std::string cugrade;  ///< version
    std::string backend;
    int ptx_arch = 0;
    std::vector<int> also_build;
    std::vector<std::string> tasks;
    bool timing = true;
    std::string isolation;    ///< on, auto or off, as --sandbox takes it
    std::string policy;       ///< absolute path; empty: the installed one
    std::string secret_file;  ///< absolute path; empty: none
    std::string secret_code;
    std::string signed_by;     ///< as in the record
    int emulator_threads = 0;  ///< of each emulated GPU; 0: one
    int gpu_arch =
        0;  ///< to compile for, where that is a stage of its own; 0: as the back end says
    bool operator==(const PlanOptions&) const = default;
};

struct Plan {
    std::string run;  ///< an id that no other run has
    PlanOptions options;
    std::vector<PlanItem> items;  ///< in the order in which they are to be begun

    [[nodiscard]] Status write(const std::filesystem::path&, const seal::Key&) const;
    [[nodiscard]] static Result<Plan> read(const std::filesystem::path&, const seal::Key&);
};

/// A result, as text: what came of it, and all that it depends on (record/inputs.hpp).
[[nodiscard]] std::string text_of(const Graded&, std::string_view inputs);
struct Outcome {
    Graded graded;
    std::string inputs;
};
[[nodiscard]] Result<Outcome> read_outcome(std::string_view text);

}  // namespace cugrade::cluster

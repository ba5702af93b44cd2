// Whether a submission uses what the policy forbids, asked of what the compiler saw.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "build/build.hpp"
#include "build/build_submission.hpp"
#include "build/preprocessed.hpp"
#include "core/error.hpp"
#include "core/policy.hpp"
#include "emulator/ptx/fatbin.hpp"

namespace cugrade {

// What is read of what a compiler makes of a submission is read in the grader's own memory, and a
// few lines of macros give any amount of it. Chosen: ten times, and 80 times, what one file gives
// that includes all of CUB and much of Thrust (12 MiB, for the host and again for each device).
inline constexpr std::uint64_t most_preprocessed_file_bytes = std::uint64_t{128} << 20;
inline constexpr std::uint64_t most_preprocessed_bytes = std::uint64_t{2} << 30;

class SourcePolicy {
public:
    /// `source` is the folder that the submission is compiled in.
    SourcePolicy(const std::vector<SourceRule>& rules, const std::filesystem::path& source,
                 const AssignmentSpec& assignment, const Toolchain& toolchain)
        : rules_(rules),
          source_(source),
          course_folder_((assignment.folder / "").string()),
          has_gnu_assembler_(toolchain.host_compiler.filename().string().find("clang") ==
                             std::string::npos) {}

    /// The compiler's command with flags that make it leave evidence in `folder`: which files the
    /// assembler reads, and the preprocessed text. Neither costs time.
    [[nodiscard]] std::vector<std::string> with_evidence(std::vector<std::string> command,
                                                         const std::filesystem::path& folder) const;

    /// True if nvcc came as far as to preprocess: what it complains of is then about the
    /// submission, whoever prints it.
    [[nodiscard]] bool has_begun(const std::filesystem::path& folder) const;
    /// Whether the preprocessed text in `folder` is more than the grader reads: of one file, or of
    /// all that have been asked for since `left` was most_preprocessed_bytes. To be asked before
    /// any of these:
    [[nodiscard]] static std::optional<BuildFailure> check_size(const std::string& unit,
                                                                const std::filesystem::path& folder,
                                                                std::uint64_t& left);
    /// Looks at what a failed compilation has left and said. If a later pass read a file that the
    /// preprocessor knows nothing of, the output may quote it, and the failure leaves it out.
    [[nodiscard]] std::optional<BuildFailure> check_failed(
        const std::string& unit, std::string_view output,
        const std::filesystem::path& folder) const;
    /// Looks for files that later passes of a successful compilation have read, or could have.
    [[nodiscard]] std::optional<BuildFailure> check_read(const std::string& unit,
                                                         const std::filesystem::path& folder) const;
    /// Looks at the evidence that a successful compilation has left, at its object file, and at the
    /// PTX in that.
    [[nodiscard]] Result<std::optional<BuildFailure>> check(
        const std::string& unit, const std::filesystem::path& object,
        std::span<const ptx::FatbinPtx> images, const std::filesystem::path& folder) const;
    /// Whether check() looks at PTX.
    [[nodiscard]] bool needs_ptx() const { return !rules_.empty(); }

private:
    /// For lines that a later pass takes for directives.
    [[nodiscard]] std::optional<BuildFailure> check_text(const std::string& unit,
                                                         const std::filesystem::path& folder) const;
    [[nodiscard]] std::optional<BuildFailure> check_assembler(
        const std::string& unit, const std::filesystem::path& folder) const;
    [[nodiscard]] Preprocessed read(std::string text) const;
    [[nodiscard]] Owner owner_of(std::string_view file) const;

    const std::vector<SourceRule>& rules_;
    std::filesystem::path source_;
    std::string course_folder_;
    bool has_gnu_assembler_;
};

/// The key of the build cache, which depends on the rules, too.
[[nodiscard]] std::string key_with_policy(const std::string& key,
                                          const std::vector<SourceRule>& rules);

/// The file outside of the submission in which the assembler found an error, or empty.
[[nodiscard]] std::string foreign_assembler_file(std::string_view output);

/// The first file of `inclusions` that a rule names, as a sentence for the student.
[[nodiscard]] std::optional<std::string> find_forbidden_include(const std::vector<SourceRule>&,
                                                                const Preprocessed&);

}  // namespace cugrade

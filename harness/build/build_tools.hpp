// Runs compilers and linkers on one submission: in an enclosure if it has one, else in the work
// folder, under limits that the build's tools share. What they make is copied into the work folder.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "build/build.hpp"
#include "build/build_commands.hpp"
#include "build/build_messages.hpp"
#include "build/work_folder.hpp"
#include "sandbox/sandbox.hpp"

namespace cugrade {

class BuildTools {
public:
    /// Both have to outlive it.
    BuildTools(const BuildCommands&, const WorkFolder&);

    /// Makes the enclosure, with the submission in it, if there is to be one. Call it first.
    [[nodiscard]] Status enclose();
    /// Shows the tools a file that was added to the work folder since.
    [[nodiscard]] Status put(const std::filesystem::path& file);
    /// Makes a folder that tools write into, below where they run.
    [[nodiscard]] Status make_folder(const std::filesystem::path& name);

    /// Where a tool runs: `src` of the work folder, or the folder itself.
    enum class In { source, work };
    /// Its output has the names that students know. Errors: it could not run.
    [[nodiscard]] Result<sandbox::Outcome> run(std::vector<std::string> argv, In where);
    /// The Error if a tool, or a program that it runs, was ended by a signal that no source file
    /// can raise in it: its job was cancelled, or the machine has no memory left.
    [[nodiscard]] static std::optional<Error> ended_from_outside(const sandbox::Outcome&);
    /// The failure of a tool that was stopped before its own end; nothing if it was not.
    [[nodiscard]] std::optional<BuildFailure> stopped(const sandbox::Outcome&,
                                                      std::string_view tool, std::string_view what);
    /// True if a limit or the machine decided, so another try may end differently.
    [[nodiscard]] bool may_differ() const { return may_differ_; }

    /// Copies a file that a tool has made into the work folder.
    [[nodiscard]] Status fetch(const std::string& name);
    /// The same for all that is in a folder. There is none if the tool did not come so far.
    [[nodiscard]] Status fetch_folder(const std::filesystem::path& folder);

private:
    Result<sandbox::Outcome> run_command(const sandbox::Command&);
    [[nodiscard]] std::string time_limit() const;
    [[nodiscard]] bool folder_is_full() const;

    const BuildCommands& commands_;
    const WorkFolder& work_;
    PathNames names_;
    std::unique_ptr<sandbox::Enclosure> enclosure_;  ///< null: tools run without
    double spent_s_ = 0;                             ///< by all tools
    bool may_differ_ = false;
};

}  // namespace cugrade

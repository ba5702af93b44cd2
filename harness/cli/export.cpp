// A grader for another system, in the form that it takes.
//
// Gradescope builds an image once, in which it unpacks the archive into /autograder/source and runs
// setup.sh as root. For each hand-in it starts a container, lays the files into
// /autograder/submission and what it knows of them into /autograder/submission_metadata.json, runs
// /autograder/run_autograder and reads /autograder/results/results.json.
// (https://gradescope-autograders.readthedocs.io)
#include <memory>
#include <vector>

#include <fmt/format.h>

#include "build/course.hpp"
#include "cli/choices.hpp"
#include "cli/command_table.hpp"
#include "cli/commands.hpp"
#include "cli/failure.hpp"
#include "cli/files.hpp"
#include "cli/secret.hpp"
#include "cli/terminal.hpp"
#include "core/home.hpp"
#include "core/shell.hpp"
#include "handin/pack.hpp"

namespace cugrade::cli {
namespace {

namespace fs = std::filesystem;

/// As root, once, in the image.
constexpr std::string_view setup_script = R"bash(#!/usr/bin/env bash
# Made by `cugrade export gradescope`: installs cugrade into the image of the autograder.
set -euo pipefail
cd "$(dirname "$0")"
if [ -f before.sh ]; then bash before.sh; fi
packages=(./*.deb)
if [ -f "${packages[0]}" ]; then
    apt-get update
    DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "${packages[@]}"
fi
command -v cugrade >/dev/null || {
    echo "cugrade is not in this image: export again with --package cugrade_VERSION_amd64.deb, made for this distribution, or use an image that has it" >&2
    exit 1
}
# What is missing (nvcc, above all) is to be seen now, not when the first student hands in.
cugrade doctor --quick --backend emulator
)bash";

/// In the container of a hand-in; what grades comes after it.
constexpr std::string_view run_head = R"bash(#!/usr/bin/env bash
# Made by `cugrade export gradescope`: grades the hand-in that lies in submission/.
set -euo pipefail
autograder=${AUTOGRADER:-/autograder}
cd "$autograder"
# Hidden cases are the same for all who hand in together, and for each of their hand-ins.
student=$(python3 - submission_metadata.json <<'python'
import json, sys
users = json.load(open(sys.argv[1], encoding="utf-8"))["users"]
print("gradescope-" + "-".join(sorted(str(user["id"]) for user in users)))
python
)
mkdir -p results
# 4: a person has to decide, and the report says so. Gradescope takes a missing results.json for a failure of the
# autograder, which costs nobody anything.
)bash";

struct GradescopeArguments {
    std::string assignment;
    std::string to;
    std::vector<std::string> packages;
    std::string before;
    std::string policy;
    std::string secret_file;
};

int export_gradescope(const GradescopeArguments& arguments) {
    const Course course = value_of(Course::load(value_of(Home::find()), arguments.policy));
    const AssignmentSpec* assignment =
        value_of(find_assignment(course.assignments, arguments.assignment, course.left_out));
    check(could_write(arguments.to));
    std::vector<handin::PackedFile> files;
    std::string options;
    if (!arguments.policy.empty()) {
        files.push_back({"grading.yaml", value_of(read_file(arguments.policy))});
        options += "--policy source/grading.yaml ";
    }
    if (arguments.secret_file.empty()) {
        options += "--sandbox auto";
    } else {
        SecretChoice choice;
        choice.file = arguments.secret_file;
        files.push_back({"secret", value_of(read_secret(choice))});
        // A student's program could read it where there is no sandbox.
        options += "--secret-file source/secret --sandbox on";
    }
    for (const std::string& package : arguments.packages)
        files.push_back({fs::path(package).filename().string(), value_of(read_file(package))});
    if (!arguments.before.empty())
        files.push_back({"before.sh", value_of(read_file(arguments.before))});
    files.push_back({"setup.sh", std::string(setup_script), true});
    files.push_back(
        {"run_autograder",
         fmt::format("{}cugrade check submission --assignment {} --student \"$student\" --backend "
                     "emulator {} \\\n    --out results/results.gradescope.json || [ $? = 4 ]\n"
                     "mv results/results.gradescope.json results/results.json\n",
                     run_head, shell_word(assignment->id), options),
         true});
    check(write_atomically(arguments.to, value_of(handin::zip_of(files))));
    std::string out = fmt::format("{}:\n", arguments.to);
    for (const handin::PackedFile& file : files)
        out += fmt::format("  {:<24} {:>9} B\n", file.name, file.content.size());
    if (arguments.packages.empty())
        out += "\nNo --package: the image has to have cugrade already.\n";
    if (arguments.secret_file.empty())
        out +=
            "\nNo --secret-file: hidden cases are those of the development secret. docs/ci tells "
            "what a\nsecret needs there.\n";
    print(out);
    return exit_graded;
}

}  // namespace

void add_export(CLI::App& app, int& exit_code) {
    CLI::App* command =
        app.add_subcommand("export", "Make what another system takes: a grader, or reports");
    command->require_subcommand(1);
    add_export_moodle(*command, exit_code);
    CLI::App* gradescope =
        command->add_subcommand("gradescope", "Make the archive of a Gradescope autograder");
    const auto arguments = std::make_shared<GradescopeArguments>();
    gradescope->add_option("assignment", arguments->assignment, "Its id")
        ->required()
        ->type_name(takes::assignment);
    gradescope->add_option("--to", arguments->to, "The archive to write, a .zip file")
        ->required()
        ->type_name(takes::file);
    gradescope
        ->add_option("--package", arguments->packages,
                     "A Debian package to install in the image (may be repeated): cugrade's, made "
                     "for the image's distribution")
        ->take_all()
        ->type_name(takes::file);
    gradescope
        ->add_option("--before", arguments->before,
                     "A script that the image's set-up runs first: what installs nvcc there")
        ->type_name(takes::file);
    gradescope->add_option("--policy", arguments->policy, "The course's grading.yaml")
        ->type_name(takes::file);
    gradescope
        ->add_option("--secret-file", arguments->secret_file,
                     "File with the course secret, which comes into the archive; nothing is graded "
                     "then where there is no sandbox")
        ->type_name(takes::file);
    gradescope->footer(
        "Example:\n"
        "  cugrade export gradescope reduction --to autograder.zip --package "
        "out/packages/cugrade_*.deb --before install_nvcc.sh");
    gradescope->callback([arguments, &exit_code] { exit_code = export_gradescope(*arguments); });
}

}  // namespace cugrade::cli

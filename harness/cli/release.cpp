// What students get of an assignment. Everything is named here, file by file, so that a new file of
// the course stays with the instructor until somebody adds it.
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <vector>

#include <fmt/format.h>

#include "cli/choices.hpp"
#include "cli/command_table.hpp"
#include "cli/commands.hpp"
#include "cli/failure.hpp"
#include "cli/files.hpp"
#include "cli/terminal.hpp"
#include "config/load.hpp"
#include "config/release.hpp"
#include "core/home.hpp"

namespace cugrade::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view makefile =
    R"make(# make check    compile student.cu, run it on the public cases, print your score
# make check ARGS="--task NAME --format json"
A := @ID@

# cugrade: below $CUGRADE_HOME, else on the PATH.
cugrade := $(if $(CUGRADE_HOME),$(CUGRADE_HOME)/bin/cugrade,$(shell command -v cugrade 2>/dev/null))

.PHONY: check
check:
	@[ -n "$(cugrade)" ] || { echo "cugrade is not here: put it on the PATH, or set CUGRADE_HOME to the folder it is installed in" >&2; exit 1; }
	@[ -x "$(cugrade)" ] || { echo "$(cugrade) is no program: correct CUGRADE_HOME" >&2; exit 1; }
	@"$(cugrade)" check student.cu -a ./$(A) --policy grading.yaml $(ARGS)
)make";

struct ReleaseArguments {
    std::string assignment;
    std::string to;
    std::string policy;
    bool force = false;
};

std::string replaced(std::string text, std::string_view from, std::string_view to) {
    for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
        text.replace(at, from.size(), to);
    return text;
}

/// A file of the package: its name there, what it is, its text.
struct Part {
    std::string name;
    std::string what;
    std::string text;
};

class Package {
public:
    Package(const Home& home, const std::string& id, const std::string& policy)
        : home_(home), id_(id) {
        const fs::path folder = home.share / "assignments" / id;
        const fs::path stub = home.share / "student_template" / id;
        assignment_ = value_of(config::public_assignment(folder));
        // The comment of the stub tells where the handout is in the repository.
        const std::string handout = fmt::format("assignments/{}/README.md", id);
        add("README.md", "handout", value_of(read_file(folder / "README.md")));
        for (const std::string& file : files_in(stub))
            if (file != "Makefile")
                add(file, "stub", replaced(value_of(read_file(stub / file)), handout, "README.md"));
        add("Makefile", "make check", replaced(std::string(makefile), "@ID@", id));
        add("grading.yaml", "points, tiers and limits",
            value_of(config::public_policy(
                policy.empty() ? home.share / "grading.yaml" : fs::path(policy), id)));
        add(id + "/assignment.yaml",
            fmt::format("{} public cases; {} hidden ones are left out", assignment_.public_cases,
                        assignment_.withheld),
            assignment_.yaml);
        for (const std::string& file : files_in(folder))
            if (const auto kind = fs::path(file).extension(); kind == ".cuh" || kind == ".h")
                add(id + "/" + file, "interface", value_of(read_file(folder / file)));
        for (const std::string& file : assignment_.files)
            add(id + "/" + file, "data of public cases", value_of(read_file(folder / file)));
        add(id + "/baseline.cu", "what speed is compared with",
            value_of(read_file(home.share / "reference" / id / "baseline.cu")));
    }

    /// The package beside its place; renamed into it at the end, so it is there whole or not at
    /// all.
    void write(const fs::path& to, bool force) const {
        std::error_code error;
        const bool there = fs::exists(fs::symlink_status(to, error));
        const bool is_folder = fs::is_directory(fs::symlink_status(to, error));
        if (there && !(is_folder && (force || fs::is_empty(to, error))))
            throw Failure(Error{.kind = ErrorKind::usage,
                                .message = is_folder ? "the folder is not empty"
                                                     : "this is there, and is no folder",
                                .file = to.string(),
                                .key = "--to",
                                .remedy = is_folder ? "name a new folder, or say --force to "
                                                      "replace all that is in this one"
                                                    : "name a folder"});
        const fs::path parent = to.has_parent_path() ? to.parent_path() : fs::path(".");
        check(make_folders(parent));
        const fs::path fresh =
            value_of(make_unique_folder(parent, fmt::format(".{}-", to.filename().string())));
        try {
            fill(fresh);
            check_readable(fresh);
            take_place(fresh, to, there);
        } catch (...) {
            fs::remove_all(fresh, error);
            throw;
        }
    }

    [[nodiscard]] std::string listing(const fs::path& to) const {
        std::string out;
        for (const Part& part : parts_)
            out += fmt::format("  {:<{}}  {:>8}  {}\n", part.name, width_,
                               fmt::format("{} B", part.text.size()), part.what);
        return fmt::format("{} in {}:\n{}", id_, to.string(), out);
    }

private:
    void add(std::string name, std::string what, std::string text) {
        width_ = std::max(width_, name.size());
        parts_.push_back({std::move(name), std::move(what), std::move(text)});
    }

    static std::vector<std::string> files_in(const fs::path& folder) {
        std::vector<std::string> out;
        std::error_code error;
        for (const auto& entry : fs::directory_iterator(folder, error))
            if (entry.is_regular_file(error) && !entry.path().filename().string().starts_with('.'))
                out.push_back(entry.path().filename().string());
        if (error || out.empty())
            throw Failure(Error{.kind = ErrorKind::configuration,
                                .message = "this folder of the assignment is missing or empty",
                                .file = folder.string(),
                                .remedy = "build or install cugrade again"});
        std::ranges::sort(out);
        return out;
    }

    void fill(const fs::path& folder) const {
        for (const Part& part : parts_) {
            check(make_folders((folder / part.name).parent_path()));
            check(write_atomically(folder / part.name, part.text));
        }
        std::error_code error;  // mkdtemp() gave it to us alone
        fs::permissions(folder,
                        fs::perms::group_read | fs::perms::group_exec | fs::perms::others_read |
                            fs::perms::others_exec,
                        fs::perm_options::add, error);
    }

    /// A student's cugrade has to accept the policy for the assignment without its hidden cases.
    void check_readable(const fs::path& folder) const {
        const auto assignment = value_of(config::load_assignment(folder / id_));
        (void)value_of(config::load_policy(folder / "grading.yaml", {assignment}));
    }

    static void take_place(const fs::path& fresh, const fs::path& to, bool there) {
        std::error_code error;
        const fs::path old = fresh.string() + ".old";
        if (there) fs::rename(to, old, error);
        if (!error) fs::rename(fresh, to, error);
        if (error) {
            std::error_code ignored;
            if (there && !fs::exists(to, ignored)) fs::rename(old, to, ignored);
            check(cannot("write", to, error.value()));
        }
        fs::remove_all(old, error);
    }

    const Home& home_;
    std::string id_;
    config::PublicAssignment assignment_;
    std::vector<Part> parts_;
    std::size_t width_ = 0;
};

int run(const ReleaseArguments& arguments) {
    const Home home = value_of(Home::find());
    std::vector<LeftOut> broken;
    const auto assignments =
        value_of(config::load_assignments(home.share / "assignments", &broken));
    const AssignmentSpec* assignment =
        value_of(find_assignment(assignments, arguments.assignment, broken));
    fs::path to = fs::path(arguments.to).lexically_normal();
    if (!to.has_filename()) to = to.parent_path();  // "handout/"
    if (to.empty() || to.filename() == "." || to.filename() == "..")
        throw Failure(Error{.kind = ErrorKind::usage,
                            .message = "the package is a folder of its own",
                            .file = arguments.to,
                            .key = "--to",
                            .remedy = "name a new folder: --to handout"});
    const Package package(home, assignment->id, arguments.policy);
    package.write(to, arguments.force);
    print(package.listing(to));
    return exit_graded;
}

}  // namespace

void add_release(CLI::App& app, int& exit_code) {
    CLI::App* command = app.add_subcommand(
        "release", "Write what students get of an assignment: no hidden case, solution or oracle");
    const auto arguments = std::make_shared<ReleaseArguments>();
    command->add_option("assignment", arguments->assignment, "Its id")
        ->required()
        ->type_name(takes::assignment);
    command->add_option("--to", arguments->to, "Folder to make")
        ->required()
        ->type_name(takes::folder);
    command
        ->add_option("--policy", arguments->policy,
                     "The course's grading.yaml; its part about this assignment is released")
        ->type_name(takes::file);
    command->add_flag("--force", arguments->force, "Replace the folder if it is not empty");
    command->footer(
        "Example:\n"
        "  cugrade release reduction --to handout");
    command->callback([arguments, &exit_code] { exit_code = run(*arguments); });
}

}  // namespace cugrade::cli

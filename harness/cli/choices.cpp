#include "cli/choices.hpp"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <thread>

#include <fmt/format.h>

#include "cli/command_table.hpp"
#include "core/closest.hpp"

namespace cugrade::cli {
namespace {

namespace fs = std::filesystem;

/// The id of a line `A := reduction` (with =, :=, ?= or ::=), or empty.
std::string assignment_in_makefile(const fs::path& folder) {
    std::ifstream in(folder / "Makefile");
    for (std::string line; std::getline(in, line);) {
        if (!line.starts_with("A ") && !line.starts_with("A:") && !line.starts_with("A=") &&
            !line.starts_with("A?"))
            continue;
        const std::size_t equals = line.find('=');
        if (equals == std::string::npos) continue;
        const std::size_t first = line.find_first_not_of(" \t", equals + 1);
        if (first == std::string::npos) continue;
        return line.substr(first, line.find_first_of(" \t\r#", first) - first);
    }
    return {};
}

}  // namespace

Error unknown(std::string_view what, std::string_view name,
              const std::vector<std::string>& candidates) {
    const std::string near = closest(name, candidates);
    return {.kind = ErrorKind::usage,
            .message = fmt::format("unknown {} `{}`", what, name),
            .remedy = near.empty() ? fmt::format("there are {}", fmt::join(candidates, ", "))
                                   : fmt::format("did you mean `{}`?", near)};
}

std::vector<std::string> ids_of(const std::vector<AssignmentSpec>& assignments) {
    std::vector<std::string> ids;
    for (const AssignmentSpec& assignment : assignments) ids.push_back(assignment.id);
    return ids;
}

Result<const AssignmentSpec*> find_assignment(const std::vector<AssignmentSpec>& assignments,
                                              std::string_view id,
                                              const std::vector<LeftOut>& left_out) {
    const auto found = std::ranges::find(assignments, id, &AssignmentSpec::id);
    if (found != assignments.end()) return &*found;
    if (const auto out = std::ranges::find(left_out, id, &LeftOut::id); out != left_out.end())
        return out->why;
    return unknown("assignment", id, ids_of(assignments));
}

Result<const TaskSpec*> find_task(const AssignmentSpec& assignment, std::string_view name) {
    const auto found = std::ranges::find(assignment.tasks, name, &TaskSpec::name);
    if (found != assignment.tasks.end()) return &*found;
    if (std::ranges::find(assignment.ungraded_tasks, name) != assignment.ungraded_tasks.end())
        return Error{.kind = ErrorKind::usage,
                     .message = fmt::format("the policy does not grade the task `{}` of `{}`", name,
                                            assignment.id),
                     .remedy = "name it in the policy with its points, or leave out --task"};
    std::vector<std::string> names;
    for (const TaskSpec& task : assignment.tasks) names.push_back(task.name);
    return unknown(fmt::format("task of {}", assignment.id), name, names);
}

Result<TaskPath> find_task_by_path(const std::vector<AssignmentSpec>& assignments,
                                   std::string_view path, const std::vector<LeftOut>& left_out) {
    const std::size_t slash = path.find('/');
    const auto assignment = find_assignment(assignments, path.substr(0, slash), left_out);
    if (!assignment) return assignment.error();
    if (slash == std::string_view::npos) {
        std::vector<std::string> names;
        for (const TaskSpec& task : (*assignment)->tasks)
            names.push_back((*assignment)->id + "/" + task.name);
        return Error{.kind = ErrorKind::usage,
                     .message = "which task?",
                     .remedy = fmt::format("give one of {}", fmt::join(names, ", "))};
    }
    const auto task = find_task(**assignment, path.substr(slash + 1));
    if (!task) return task.error();
    return TaskPath{*assignment, *task};
}

Result<const AssignmentSpec*> infer_assignment(const std::vector<AssignmentSpec>& assignments,
                                               const fs::path& source,
                                               const std::vector<LeftOut>& left_out) {
    std::error_code error;
    fs::path folder = fs::weakly_canonical(fs::absolute(source, error), error);
    if (!fs::is_directory(folder, error)) folder = folder.parent_path();
    if (const std::string id = assignment_in_makefile(folder); !id.empty())
        return find_assignment(assignments, id, left_out);
    for (; folder.has_relative_path(); folder = folder.parent_path()) {
        const std::string name = folder.filename().string();
        const auto named = find_assignment(assignments, name, left_out);
        if (named || std::ranges::find(left_out, name, &LeftOut::id) != left_out.end())
            return named;
    }
    return Error{
        .kind = ErrorKind::usage,
        .message = "which assignment is it?",
        .file = source.string(),
        .remedy = fmt::format("say -a ID, with one of {}", fmt::join(ids_of(assignments), ", "))};
}

void SubmissionChoices::add(CLI::App& app, bool needs_source) {
    app.add_option("source", source, "A .cu file, or a folder with one or more")
        ->required(needs_source)
        ->type_name(takes::path);
    app.add_option(
           "-a,--assignment", assignment,
           "Its id, or with a slash the folder of a released one: ./reduction; default: what "
           "the Makefile beside it or a folder above says")
        ->type_name(takes::assignment);
    app.add_option("--task", tasks, "Only this task (may be repeated)")
        ->take_all()
        ->type_name(takes::task);
}

// A folder is taken only if the command names it. What lies beside a submission is the student's.
Result<Course> SubmissionChoices::course(const std::string& policy_file) const {
    auto home = Home::find();
    if (!home) return home.error();
    return Course::load(*home, policy_file,
                        assignment.find('/') == std::string::npos ? "" : assignment);
}

Result<const AssignmentSpec*> SubmissionChoices::assignment_of(const Course& course) const {
    const std::string id = course.package.empty() ? assignment : course.package.filename().string();
    auto found = id.empty() ? infer_assignment(course.assignments, source, course.left_out)
                            : find_assignment(course.assignments, id, course.left_out);
    if (!found) return found.error();
    for (const std::string& name : tasks)
        if (auto task = find_task(**found, name); !task) return task.error();
    return found;
}

void GradingChoices::add_backend(CLI::App& app) {
    app.add_option("--backend", backend, "auto: the first of these that is available here")
        ->check(one_of(backend_names()))
        ->capture_default_str();
    app.add_option("--ptx", ptx_arch,
                   "Compute capability that the emulated GPU presents: 75, 90 or 120")
        ->check(CLI::IsMember(std::vector<int>(emulated_archs.begin(), emulated_archs.end())))
        ->capture_default_str();
    app.add_option("--ptx-also", also_build,
                   "Compile for these, too, so that grading with another --ptx needs no compiler")
        ->delimiter(',')
        ->check(CLI::IsMember(std::vector<int>(emulated_archs.begin(), emulated_archs.end())));
    app.add_option("--jobs,-j", jobs, "How much is done at once; default: one per processor")
        ->check(CLI::Range(1, 1024));
    add_emulator_threads(app, emulator_threads);
    app.add_option("--policy", policy, "Another grading.yaml")->type_name(takes::file);
    app.add_option(
           "--sandbox", sandbox,
           "on: submissions run in a sandbox, or nothing is graded; auto: without one where "
           "this machine cannot make it; off: without. Default: on for a class and where CI is "
           "set in the environment, else auto")
        ->check(CLI::IsMember({"on", "auto", "off"}));
}

void GradingChoices::add_all(CLI::App& app) {
    add_backend(app);
    secret.add(app);
    app.add_flag("--no-timing", no_timing, "Do not measure speed on a GPU");
}

void GradingChoices::add_sign(CLI::App& app) {
    app.add_option("--sign", sign,
                   "Sign the reports with the course's key in this file: cugrade secret new "
                   "--signing FILE makes one")
        ->type_name(takes::file);
}

Result<report::Sealer> GradingChoices::sealer() const {
    auto key = seal::grader_key();
    if (!key) return key.error();
    report::Sealer out{.key = *std::move(key), .signing = std::nullopt};
    if (sign.empty()) return out;
    auto signing = seal::SigningKey::read(sign);
    if (!signing) return signing.error();
    out.signing = *std::move(signing);
    return out;
}

int GradingChoices::job_count(int gpus) const {
    if (jobs > 0) return jobs;
    // A runner that waits for its GPU spins, and the grader's clock must not wait for a processor.
    constexpr int processors_per_gpu = 2;
    const auto processors = static_cast<int>(std::thread::hardware_concurrency());
    return std::max({1, gpus, processors - processors_per_gpu * gpus});
}

int GradingChoices::thread_count(int at_once) const {
    return threads_of_each(emulator_threads, at_once);
}

Result<GradeOptions> GradingChoices::options() const {
    GradeOptions options;
    const std::vector<std::string> known = backend_names();
    if (std::ranges::find(known, backend) == known.end()) return unknown("backend", backend, known);
    options.backend = backend;
    auto read = read_secret(secret);
    if (!read) return read.error();
    options.secret = *std::move(read);
    options.ptx_arch = ptx_arch;
    options.also_build = also_build;
    options.jobs = job_count();
    options.emulator_threads = emulator_threads;
    options.timing = !no_timing;
    const char* ci = std::getenv("CI");
    const bool is_for_others = is_class || (ci != nullptr && *ci != '\0');
    options.isolation = sandbox == "off" ? sandbox::Isolation::off
                        : sandbox == "on" || (sandbox.empty() && is_for_others)
                            ? sandbox::Isolation::required
                            : sandbox::Isolation::if_possible;
    return options;
}

void add_emulator_threads(CLI::App& app, int& threads) {
    app.add_option("--emulator-threads", threads,
                   "Host threads that share the blocks of a kernel on the emulated GPU; the result "
                   "is the same with any number. Default: the processors that are there, divided "
                   "among what is done at once")
        ->check(CLI::Range(1, 256))
        ->envname("CUGRADE_EMULATOR_THREADS");
}

}  // namespace cugrade::cli

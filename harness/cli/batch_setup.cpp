#include "cli/batch_setup.hpp"

#include <fmt/format.h>

#include "build/build_cache.hpp"
#include "cli/batch_cluster.hpp"
#include "cli/class_files.hpp"
#include "cli/class_tables.hpp"
#include "cli/failure.hpp"
#include "cli/files.hpp"
#include "cli/handins.hpp"
#include "cli/terminal.hpp"
#include "core/files.hpp"
#include "core/home.hpp"
#include "core/printable.hpp"
#include "record/inputs.hpp"
#include "record/rescoring.hpp"
#include "report/formats.hpp"
#include "sandbox/sandbox.hpp"

namespace cugrade::cli {

namespace fs = std::filesystem;

BatchSetup::BatchSetup(const BatchArguments& given)
    : arguments(given),
      cluster(read_cluster(given.slurm, given.choices)),
      options(value_of(given.choices.options())),
      course(value_of(Course::load(value_of(Home::find()), given.choices.policy))),
      roster(read_roster(given.tables.roster)),
      out(given.out),
      first_plan(plan()),
      sealer(value_of(given.choices.sealer())),
      formats(value_of(report::formats_of_batch(given.formats))) {
    options.tasks = given.tasks;
    check_tasks();
    if (options.secret.empty()) fmt::print(stderr, "cugrade: WARNING: {}\n", no_secret);
    choose_backend();
    choose_jobs();
    check_sandbox();
    grader = {.course = &course,
              .options = options,
              .key = &sealer.key,
              .signed_by = sealer.signing ? sealer.signing->public_hex() : "nobody"};
    if (backend) device = grader.device_of(*backend);
    lock_output();
    record.emplace(value_of(record::Record::open(out)));
    remove_leftovers();
}

BatchPlan BatchSetup::plan() {
    const fs::path folder = folder_of_class();
    const AssignmentSpec* assignment =
        arguments.assignment.empty()
            ? nullptr
            : value_of(find_assignment(course.assignments, arguments.assignment, course.left_out));
    const auto plan = arguments.watch ? plan_watch : plan_batch;
    return value_of(
        plan(folder, course.assignments, assignment, course.left_out, roster ? &*roster : nullptr));
}

/// One archive with all hand-ins is unpacked before they are looked for, in the output folder.
fs::path BatchSetup::folder_of_class() {
    if (!is_class_archive(arguments.folder)) return arguments.folder;
    if (arguments.watch)
        throw Failure(Error{.kind = ErrorKind::usage,
                            .message =
                                "an archive of a class does not grow, so there is nothing to "
                                "watch",
                            .file = arguments.folder,
                            .key = "--watch",
                            .remedy = "give the folder in which hand-ins land"});
    lock_output();
    return value_of(unpack_class(arguments.folder, out));
}

void BatchSetup::check_tasks() const {
    for (const BatchItem& item : first_plan.items)
        for (const std::string& task : arguments.tasks)
            (void)value_of(find_task(*item.assignment, task));
}

/// All submissions use the same back end; an earlier report counts only if it used it, too.
void BatchSetup::choose_backend() {
    if (cluster) options.backend = backend_on(*cluster, options.backend);
    // The GPUs are the nodes', and what they are is told by the first result.
    if (cluster && options.backend != emulator_name) return;
    backend = value_of(cugrade::choose_backend(options));
    options.backend = backend->name();
    for (const std::string& note : backend->notes()) print(note + "\n");
}

void BatchSetup::choose_jobs() {
    options.jobs = 1;  // tasks at once, within one submission
    jobs = cluster ? cluster->grade.tasks * cluster->grade.cpus
                   : arguments.choices.job_count(static_cast<int>(backend->shared_devices()));
    options.emulator_threads = arguments.choices.thread_count(jobs);
}

/// Before the first submission: without a sandbox none of them could be graded.
void BatchSetup::check_sandbox() const {
    if (!cluster) (void)value_of(sandbox::isolate(course.home.libexec, options.isolation));
}

void BatchSetup::warn_once(const std::string& text) {
    if (warned_of_.insert(text).second)
        fmt::print(stderr, "cugrade: warning: {}\n", printable(text));
}

void BatchSetup::lock_output() {
    if (lock) return;
    check(make_folders(out));
    lock.emplace(out);
}

/// What a batch that was killed had not finished, here and where gradings keep their files.
void BatchSetup::remove_leftovers() const {
    remove_abandoned_temporary_folders();
    std::error_code error;
    if (const auto cache = BuildCache::open()) cache->remove_abandoned();
    for (const auto& folder : fs::directory_iterator(cache_folder(), error))
        remove_unfinished_files(folder);
    remove_unfinished_files(out);
    remove_unfinished_handins(out);
    remove_unfinished_attempts(out);
    for (const BatchItem& item : first_plan.items)
        remove_unfinished_files(reports_of(*item.assignment));
}

fs::path BatchSetup::reports_of(const AssignmentSpec& assignment) const {
    return out / "reports" / assignment.id;
}

std::string BatchSetup::inputs_of(const AssignmentSpec& assignment,
                                  const std::string& submission_sha256) const {
    return grader.inputs(assignment, submission_sha256, device.value_or("unknown"));
}

std::vector<record::Rules> BatchSetup::rules() const {
    std::vector<record::Rules> all;
    for (const AssignmentSpec& one : course.assignments)
        all.push_back(record::rules_of(course, one, inputs_of(one, "")));
    return all;
}

void BatchSetup::learn_device() {
    if (device) return;
    for (const auto& one : value_of(record->attempts(sealer.key)))
        if (!device && one.is_ours &&
            record::value_in(one.grading.inputs, "backend") == options.backend)
            device = record::value_in(one.grading.inputs, "device");
}

}  // namespace cugrade::cli

// A worker of a batch on a cluster: what a job runs on a node. Not for people, so it is in no list
// of commands. It gets all that it has to know from the run's folder, and nothing on its command
// line that is secret.
#include <fmt/format.h>

#include <chrono>
#include <memory>
#include <thread>

#include "build/build_cache.hpp"
#include "cli/choices.hpp"
#include "cli/commands.hpp"
#include "cli/failure.hpp"
#include "cli/secret.hpp"
#include "cli/submission_grader.hpp"
#include "cluster/coordinator.hpp"
#include "cluster/worker.hpp"
#include "grading/pipeline.hpp"

namespace cugrade::cli {
namespace {

namespace fs = std::filesystem;

struct WorkerArguments {
    std::string run;
    std::string stage;
    std::string task;
    int start = 0;
    int at_once = 1;
};

cluster::Plan read_plan(const WorkerArguments& arguments, const seal::Key& key) {
    cluster::Plan plan = value_of(cluster::Plan::read(cluster::plan_file(arguments.run), key));
    if (plan.options.cugrade != CUGRADE_VERSION)
        throw Failure(Error{.message = fmt::format("this cugrade is {}, and the batch's is {}",
                                                   CUGRADE_VERSION, plan.options.cugrade),
                            .remedy = "install the same one on all nodes"});
    return plan;
}

GradeOptions options_of(const cluster::PlanOptions& plan, const seal::Key& key) {
    GradeOptions options;
    options.backend = plan.backend;
    options.ptx_arch = plan.ptx_arch;
    options.also_build = plan.also_build;
    options.tasks = plan.tasks;
    options.timing = plan.timing;
    options.jobs = 1;
    options.emulator_threads = std::max(1, plan.emulator_threads);
    options.isolation = plan.isolation == "off"  ? sandbox::Isolation::off
                        : plan.isolation == "on" ? sandbox::Isolation::required
                                                 : sandbox::Isolation::if_possible;
    if (!plan.secret_file.empty())
        options.secret = value_of(read_secret({.file = plan.secret_file, .descriptor = -1}));
    if (code_of_secret(key, options.secret) != plan.secret_code)
        throw Failure(Error{.message = "this file holds another secret here than for the batch",
                            .file = plan.secret_file,
                            .remedy = "keep the secret in a file that all nodes see"});
    return options;
}

/// Chosen: the processes of a task get their signals within milliseconds.
constexpr std::chrono::seconds before_a_problem_counts{2};

class BatchWorker {
public:
    explicit BatchWorker(const WorkerArguments& arguments)
        : arguments_(arguments),
          key_(value_of(seal::existing_key())),
          plan_(read_plan(arguments, key_)),
          course_(value_of(Course::load(value_of(Home::find()), plan_.options.policy))),
          stage_(arguments.run, plan_.run, arguments.stage, key_) {
        grader_ = {.course = &course_,
                   .options = options_of(plan_.options, key_),
                   .key = &key_,
                   .signed_by = plan_.options.signed_by};
        if (auto why = BuildCache::why_not_kept())
            fmt::print(stderr, "cugrade: warning: builds are not kept: {}\n", why->text());
    }

    void run() {
        const cluster::Worker me{.task = arguments_.task, .start = arguments_.start};
        if (arguments_.stage == cluster::build_stage) {
            check(
                cluster::work_on(stage_, plan_, me, arguments_.at_once,
                                 [this](const cluster::PlanItem& item) { return compile(item); }));
            return;
        }
        backend_ = value_of(choose_backend(grader_.options));
        device_ = grader_.device_of(*backend_);
        check(cluster::work_on(stage_, plan_, me, arguments_.at_once,
                               [this](const cluster::PlanItem& item) { return grade(item); }));
    }

private:
    const AssignmentSpec& assignment_of(const cluster::PlanItem& item) const {
        return *value_of(find_assignment(course_.assignments, item.assignment, course_.left_out));
    }

    std::string grade(const cluster::PlanItem& item) {
        const AssignmentSpec& assignment = assignment_of(item);
        const cluster::Graded graded = grader_.grade(assignment, item.student, item.source);
        // A task that is ended loses its emulated GPU first, sometimes: that is no result of the
        // submission's, and this process is about to end, too.
        if (!graded.report && !graded.of_the_course)
            std::this_thread::sleep_for(before_a_problem_counts);
        const auto sha256 = graded.report ? Result<std::string>(graded.report->submission_sha256)
                                          : submission_sha256(item.source);
        return cluster::text_of(graded, grader_.inputs(assignment, sha256 ? *sha256 : "", device_));
    }

    /// What fails is told when the submission is graded.
    std::string compile(const cluster::PlanItem& item) {
        GradeOptions options = grader_.options;
        options.student = item.student;
        const auto compiled = compile_only(course_, assignment_of(item), item.source, options,
                                           plan_.options.gpu_arch);
        if (!compiled) fmt::print(stderr, "cugrade: {}\n", compiled.error().text());
        return "compiled\n";
    }

    const WorkerArguments& arguments_;
    seal::Key key_;
    cluster::Plan plan_;
    Course course_;
    cluster::Stage stage_;
    SubmissionGrader grader_;
    std::unique_ptr<Backend> backend_;
    std::string device_;
};

}  // namespace

void add_batch_worker(CLI::App& app) {
    CLI::App* command = app.add_subcommand("batch-worker", "What a job of a batch runs on a node");
    command->group("");
    const auto arguments = std::make_shared<WorkerArguments>();
    command->add_option("run", arguments->run, "Folder of the run")->required();
    command->add_option("--stage", arguments->stage, "What is done")
        ->required()
        ->check(CLI::IsMember({cluster::build_stage, cluster::grade_stage}));
    command->add_option("--task", arguments->task, "As the scheduler calls this task")->required();
    command->add_option("--start", arguments->start, "How often it was started before")
        ->check(CLI::Range(0, 1 << 20));
    command->add_option("--at-once", arguments->at_once, "Submissions")->check(CLI::Range(1, 1024));
    command->callback([arguments] { BatchWorker(*arguments).run(); });
}

}  // namespace cugrade::cli

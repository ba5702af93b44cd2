#include "cli/batch_cluster.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>

#include <fmt/format.h>

#include "cli/failure.hpp"
#include "cluster/slurm.hpp"
#include "record/inputs.hpp"
#include "report/format.hpp"

namespace cugrade::cli {
namespace {

namespace fs = std::filesystem;

fs::path absolute(const std::string& path) {
    return path.empty() ? fs::path() : fs::absolute(path).lexically_normal();
}

std::string_view word_of(sandbox::Isolation isolation) {
    switch (isolation) {
        case sandbox::Isolation::required: return "on";
        case sandbox::Isolation::off: return "off";
        case sandbox::Isolation::if_possible: break;
    }
    return "auto";
}

cluster::PlanOptions plan_options(const config::Cluster& cluster, const SubmissionGrader& grader,
                                  const GradingChoices& choices) {
    const GradeOptions& options = grader.options;
    return {.cugrade = CUGRADE_VERSION,
            .backend = options.backend,
            .ptx_arch = options.ptx_arch,
            .also_build = options.also_build,
            .tasks = options.tasks,
            .timing = options.timing,
            .isolation = std::string(word_of(options.isolation)),
            .policy = absolute(choices.policy).string(),
            .secret_file = absolute(choices.secret.file).string(),
            .secret_code = code_of_secret(*grader.key, options.secret),
            .signed_by = grader.signed_by,
            .emulator_threads = choices.emulator_threads,
            .gpu_arch = cluster.gpu_arch};
}

}  // namespace

std::optional<config::Cluster> read_cluster(const std::string& file,
                                            const GradingChoices& choices) {
    if (file.empty()) return std::nullopt;
    auto cluster = value_of(config::load_cluster(file));
    if (choices.secret.file.empty() && (choices.secret.descriptor >= 0 || has_secret_variable()))
        throw Failure(Error{.kind = ErrorKind::usage,
                            .message = "a secret that is in no file does not reach other nodes",
                            .key = "--slurm",
                            .remedy = "give it by --secret-file, in a file of mode 0600 that all "
                                      "nodes see"});
    return cluster;
}

std::string backend_on(const config::Cluster& cluster, const std::string& backend) {
    if (backend != "auto") return backend;
    const bool has_gpus = cluster.grade.gpus > 0 || !cluster.grade.gres.empty();
    return has_gpus ? "gpu" : std::string(emulator_name);
}

std::unique_ptr<cluster::Executor> cluster_executor(const config::Cluster& cluster,
                                                    const SubmissionGrader& grader,
                                                    const GradingChoices& choices,
                                                    const fs::path& out, bool keep,
                                                    cluster::CoordinatorSide side) {
    if (!grader.key->is_kept())
        throw Failure(
            Error{.kind = ErrorKind::usage,
                  .message = "the nodes cannot have this grader's key, which is not kept",
                  .key = "--slurm",
                  .remedy = "set CUGRADE_KEY_FILE to a file of yours that all nodes see"});
    const fs::path program =
        cluster.program.empty() ? fs::read_symlink("/proc/self/exe") : cluster.program;
    return std::make_unique<cluster::Coordinator>(
        fs::absolute(out), program, cluster,
        value_of(cluster::make_slurm(grader.course->home.libexec / "supervisor")), *grader.key,
        plan_options(cluster, grader, choices), keep, std::move(side));
}

cluster::PlanItem planned(const BatchItem& item) {
    return {.assignment = item.assignment->id,
            .student = item.student,
            .source = fs::absolute(item.source).lexically_normal()};
}

std::string difference_of(std::string_view inputs, std::string_view wanted) {
    if (inputs == wanted) return "";
    constexpr std::array<std::pair<std::string_view, std::string_view>, 6> known{{
        {"submission", "the hand-in is another one than when it was graded"},
        {"policy", "the node has another grading.yaml"},
        {"cugrade", "the node has another cugrade"},
        {"nvcc", "the node has another nvcc"},
        {"device", "the node has another GPU than the others: let cluster.yaml ask for one kind"},
        {"assignment", "the node has another assignment.yaml"},
    }};
    for (const auto& [name, words] : known) {
        const auto here = record::value_in(wanted, name), there = record::value_in(inputs, name);
        if (here == there) continue;
        const bool is_shown = name == "cugrade" || name == "nvcc" || name == "device";
        return is_shown ? fmt::format("{} (`{}` and not `{}`)", words, there, here)
                        : std::string(words);
    }
    return "it was graded under other conditions";
}

void KnownSeconds::add(const record::Grading& grading) {
    if (grading.report.empty()) return;
    if (const auto report = report::read_report(grading.report))
        known_[{grading.assignment, grading.student}] = report->seconds;
}

double KnownSeconds::of(const BatchItem& item) const {
    const auto known = known_.find({item.assignment->id, item.student});
    if (known != known_.end()) return known->second;
    double sum = 0;
    int count = 0;
    for (const auto& [of, seconds] : known_) {
        if (of.first != item.assignment->id) continue;
        sum += seconds;
        ++count;
    }
    return count > 0 ? sum / count : HUGE_VAL;
}

}  // namespace cugrade::cli

// Theory of operation:
//
// Jobs have the run's name, and squeue finds them by it. So nothing is lost if this process is
// killed between sbatch and a note of the job's number.
//
// A job gets the environment that sbatch has, and sbatch gets the variables in `passed_on` only:
// what else is in the user's environment, as tokens of other services, is nobody's business on
// another node. (--export with a list would do the same, but makes Slurm start a login shell of the
// user for each task.) No secret is on a command line: those of all users are visible.
#include "cluster/slurm.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <map>
#include <sstream>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/printable.hpp"
#include "process/process.hpp"
#include "sandbox/sandbox.hpp"

namespace cugrade::cluster {
namespace {

namespace fs = std::filesystem;

// Slurm's commands wait up to MessageTimeout (10 s by default, 60 s on large clusters), and try
// again.
constexpr double longest_call_s = 150;
constexpr std::size_t most_of_a_message = 2000;

constexpr std::array<std::string_view, 12> passed_on{
    "HOME", "USER",    "LOGNAME", "SHELL",      "PATH",           "LD_LIBRARY_PATH",
    "LANG", "CUDACXX", "TZ",      "SLURM_CONF", "SLURM_CLUSTERS", "MUNGE_SOCKET"};
constexpr std::array<std::string_view, 5> passed_on_prefixes{"LC_", "XDG_C", "CUGRADE_", "NVCC_",
                                                             "SBATCH_"};

std::map<std::string, std::string> environment() {
    std::map<std::string, std::string> out;
    for (const std::string& one : process::own_environment()) {
        const std::size_t equals = one.find('=');
        if (equals == std::string::npos) continue;
        const std::string name = one.substr(0, equals);
        const auto begins = [&](std::string_view prefix) { return name.starts_with(prefix); };
        if (std::ranges::find(passed_on, name) != passed_on.end() ||
            std::ranges::any_of(passed_on_prefixes, begins))
            out[name] = one.substr(equals + 1);
    }
    return out;
}

/// Of what squeue calls a state.
Task::State state_of(std::string_view state, std::string_view reason) {
    constexpr std::array running{"RUNNING",   "CONFIGURING", "SUSPENDED", "STOPPED",
                                 "SIGNALING", "STAGE_OUT",   "RESIZING"};
    if (std::ranges::find(running, state) != running.end()) return Task::State::running;
    if (state == "SPECIAL_EXIT" || state == "REQUEUE_HOLD") return Task::State::held;
    // "launch failed requeued held", "JobHeldAdmin", "JobHeldUser". A task that was requeued begins
    // two minutes later at the earliest, whether or not a node is idle: "BeginTime".
    const bool is_held = reason.find("held") != std::string_view::npos ||
                         reason.find("Held") != std::string_view::npos || reason == "BeginTime";
    if (state == "PENDING" || state == "REQUEUED")
        return is_held ? Task::State::held : Task::State::waiting;
    return Task::State::ending;
}

class Slurm final : public Scheduler {
public:
    explicit Slurm(fs::path supervisor) : supervisor_(std::move(supervisor)) {}

    std::string_view name() const override { return "Slurm"; }

    Result<std::string> submit(const ArrayJob& job) const override {
        const config::ClusterJobs& jobs = *job.jobs;
        std::vector<std::string> words{
            "sbatch", "--parsable", "--job-name=" + job.name,
            fmt::format("--array=0-{}", job.tasks - 1), "--requeue", "--export=ALL", "--ntasks=1",
            fmt::format("--cpus-per-task={}", jobs.cpus), "--chdir=/", "--input=/dev/null",
            "--open-mode=append",
            // % is Slurm's sign for what it fills in.
            fmt::format("--output={}/%A_%a.txt", doubled_percent(job.logs.string()))};
        const auto add = [&](const char* option, const std::string& value) {
            if (!value.empty()) words.push_back(fmt::format("--{}={}", option, value));
        };
        add("partition", jobs.partition);
        add("account", jobs.account);
        add("qos", jobs.qos);
        add("constraint", jobs.constraint);
        add("reservation", jobs.reservation);
        add("time", jobs.time);
        add("gres", jobs.gpus > 0 ? fmt::format("gpu:{}", jobs.gpus) : jobs.gres);
        if (jobs.memory_bytes > 0)
            words.push_back(fmt::format("--mem={}K", (jobs.memory_bytes + 1023) / 1024));
        words.insert(words.end(), jobs.options.begin(), jobs.options.end());
        words.push_back(job.script.string());
        auto said = call(words);
        if (!said) return said;
        // "117" or "117;cluster", after warnings if there are any.
        std::istringstream lines(*said);
        std::string id;
        for (std::string line; std::getline(lines, line);) {
            const std::string number = line.substr(0, line.find(';'));
            if (!number.empty() && number.find_first_not_of("0123456789") == std::string::npos)
                id = number;
        }
        if (id.empty())
            return Error{.message = "sbatch tells no number of a job: " + printable(*said)};
        return id;
    }

    Result<std::vector<Task>> tasks(const std::string& name) const override {
        auto said = call({"squeue", "--noheader", "--array", "--user=" + std::to_string(::getuid()),
                          "--name=" + name, "--states=all", "--format=%F_%K|%T|%r"});
        if (!said) return said.error();
        constexpr std::array ended{"COMPLETED", "CANCELLED", "FAILED",   "TIMEOUT",
                                   "PREEMPTED", "BOOT_FAIL", "DEADLINE", "OUT_OF_MEMORY",
                                   "NODE_FAIL", "REVOKED"};
        std::vector<Task> out;
        std::istringstream lines(*said);
        for (std::string line; std::getline(lines, line);) {
            const std::size_t first = line.find('|');
            const std::size_t second = line.find('|', first + 1);
            if (first == std::string::npos || second == std::string::npos) continue;  // a warning
            const std::string state = line.substr(first + 1, second - first - 1);
            if (std::ranges::find(ended, state) != ended.end()) continue;
            std::string reason = line.substr(second + 1);
            const Task::State known = state_of(state, reason);
            out.push_back({line.substr(0, first), known, std::move(reason)});
        }
        return out;
    }

    Status cancel(const std::string& name) const override {
        auto said =
            call({"scancel", "--quiet", "--user=" + std::to_string(::getuid()), "--name=" + name});
        if (!said) return said.error();
        return Done{};
    }

    std::string_view task_words() const override {
        return "${SLURM_ARRAY_JOB_ID}_${SLURM_ARRAY_TASK_ID}";
    }
    std::string_view start_words() const override { return "${SLURM_RESTART_COUNT:-0}"; }

private:
    static std::string doubled_percent(std::string_view path) {
        std::string out;
        for (const char c : path) out += c == '%' ? std::string("%%") : std::string(1, c);
        return out;
    }

    /// What a command of Slurm's prints. An Error of kind usage: it refuses.
    [[nodiscard]] Result<std::string> call(std::vector<std::string> words) const {
        const std::string what = words.front();
        auto ended =
            sandbox::run(supervisor_, {.argv = std::move(words), .environment = environment()},
                         {.wall_s = longest_call_s, .cpu_s = longest_call_s});
        if (!ended) return ended.error();
        if (ended->end == sandbox::End::exited && ended->exit_code == 0) return ended->output;
        std::string said = clean(ended->output, most_of_a_message, true);
        while (said.ends_with('\n')) said.pop_back();
        if (ended->end == sandbox::End::wall_limit)
            return Error{.message =
                             fmt::format("{} has not answered within {} s", what, longest_call_s)};
        if (ended->end != sandbox::End::exited)
            return Error{.message = fmt::format("{} fails: {}{}", what, ended->message, said)};
        // What may pass: slurmctld is started again, or has much to do.
        constexpr std::array passing{"Unable to contact", "timed out",   "Connection refused",
                                     "temporarily",       "Zero Bytes",  "Communication",
                                     "authentication",    "backup mode", "connect failure"};
        const bool may_pass = std::ranges::any_of(passing, [&](const char* words_of_it) {
            return said.find(words_of_it) != std::string::npos;
        });
        return Error{.kind = may_pass ? ErrorKind::harness : ErrorKind::usage,
                     .message = fmt::format("{} says: {}", what, said),
                     .remedy = may_pass ? "" : "the options of a job are those of cluster.yaml"};
    }

    fs::path supervisor_;
};

}  // namespace

Result<std::unique_ptr<Scheduler>> make_slurm(const fs::path& supervisor) {
    const auto here = environment();
    const auto path = here.find("PATH");
    for (const char* program : {"sbatch", "squeue", "scancel"}) {
        const std::string found =
            sandbox::find_program(program, path != here.end() ? path->second : "/usr/bin:/bin");
        if (found.find('/') == std::string::npos || ::access(found.c_str(), X_OK) != 0)
            return Error{.kind = ErrorKind::usage,
                         .message = fmt::format("there is no {} on the PATH", program),
                         .key = "--slurm",
                         .remedy =
                             "run the batch where jobs are submitted: on a login node, or "
                             "with the package slurm-client"};
    }
    return std::unique_ptr<Scheduler>(std::make_unique<Slurm>(supervisor));
}

}  // namespace cugrade::cluster

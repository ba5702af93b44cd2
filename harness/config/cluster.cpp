#include "config/cluster.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/format.h>

#include "config/yaml.hpp"

namespace cugrade::config {
namespace {

constexpr int most_tasks = 10000;  // chosen: ten times what Slurm allows in an array by default

/// What cugrade gives sbatch itself; a second one would take its place.
constexpr std::array<std::string_view, 15> own_options{
    "array", "dependency", "chdir",  "error",     "export",   "export-file", "job-name", "hold",
    "input", "no-requeue", "output", "open-mode", "parsable", "requeue",     "wrap"};

struct TextRow {
    const char* key;
    std::string ClusterJobs::*member;
};
constexpr std::array<TextRow, 6> texts{{
    {"partition", &ClusterJobs::partition},
    {"account", &ClusterJobs::account},
    {"qos", &ClusterJobs::qos},
    {"constraint", &ClusterJobs::constraint},
    {"reservation", &ClusterJobs::reservation},
    {"gres", &ClusterJobs::gres},
}};

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// "90", "90:00", "1:30:00", "1-12", "1-12:00", "1-12:00:00".
bool is_time(std::string_view text) {
    const std::size_t dash = text.find('-');
    std::size_t most_colons = 2;
    if (dash != std::string_view::npos) {
        if (dash == 0 || !std::ranges::all_of(text.substr(0, dash), is_digit)) return false;
        text.remove_prefix(dash + 1);
    }
    std::size_t digits = 0;
    for (const char c : text) {
        if (c == ':' && digits > 0 && most_colons > 0) {
            --most_colons;
            digits = 0;
        } else if (is_digit(c) && digits < 9) {
            ++digits;
        } else {
            return false;
        }
    }
    return digits > 0;
}

std::string read_time(const Value& value) {
    std::string text = value.scalar();
    if (!is_time(text))
        value.fail(fmt::format("`{}` is not a time as Slurm writes it", text),
                   "write minutes, HH:MM:SS or D-HH:MM:SS: 90, 01:30:00, 1-12:00:00");
    return text;
}

std::string read_option(const Value& value) {
    std::string text = value.text();
    const std::string_view all(text);
    if (!all.starts_with("--") || all.size() < 3 || all.find_first_of("\r\n") != all.npos)
        value.fail(fmt::format("`{}` is not a long option of sbatch", text),
                   "write one option, as --nice=100");
    const std::string_view name =
        all.substr(2, all.find('=') == all.npos ? all.npos : all.find('=') - 2);
    if (std::ranges::find(own_options, name) != own_options.end())
        value.fail(fmt::format("cugrade sets --{} itself", name), "remove this option");
    return text;
}

std::string read_line(const Value& value) {
    std::string text = value.text();
    if (text.find_first_of("\r\n") != std::string::npos)
        value.fail("this text has more than one line", "write one element per line");
    return text;
}

ClusterJobs read_jobs(const Value& value, bool is_build, int* arch) {
    std::vector<std::string> keys{"tasks", "cpus", "time", "memory", "options"};
    for (const TextRow& row : texts) keys.emplace_back(row.key);
    keys.emplace_back(is_build ? "gpu_arch" : "gpus");
    const auto map = value.map(keys);
    ClusterJobs out;
    out.tasks = static_cast<int>(map.at("tasks").integer(1, most_tasks));
    if (const auto* cpus = map.find("cpus")) out.cpus = static_cast<int>(cpus->integer(1, 1024));
    if (const auto* time = map.find("time")) out.time = read_time(*time);
    if (const auto* memory = map.find("memory")) out.memory_bytes = memory->bytes();
    for (const TextRow& row : texts)
        if (const auto* text = map.find(row.key)) out.*row.member = read_line(*text);
    if (const auto* gpus = map.find("gpus")) {
        out.gpus = static_cast<int>(gpus->integer(0, 64));
        if (out.gpus > 0 && !out.gres.empty())
            gpus->fail("`gpus` and `gres` both say which GPUs", "keep one of them");
    }
    if (const auto* gpu = map.find("gpu_arch")) *arch = static_cast<int>(gpu->integer(50, 999));
    if (const auto* options = map.find("options"))
        for (const auto& option : options->list()) out.options.push_back(read_option(option));
    return out;
}

Cluster read_cluster(const std::filesystem::path& file) {
    const auto whole = read_yaml(file);
    const auto map =
        whole.map({"schema_version", "scheduler", "grade", "build", "setup", "program"});
    check_schema_version(map);
    if (const auto* scheduler = map.find("scheduler")) (void)scheduler->choice({"slurm"});
    Cluster out;
    out.grade = read_jobs(map.at("grade"), false, nullptr);
    if (const auto* build = map.find("build")) {
        out.build = read_jobs(*build, true, &out.gpu_arch);
        const bool wants_gpus = out.grade.gpus > 0 || !out.grade.gres.empty();
        if (wants_gpus && out.gpu_arch == 0)
            build->fail("submissions cannot be compiled for a GPU that is not known",
                        "add `gpu_arch:` with its compute capability: 90 for an H100");
    }
    if (const auto* setup = map.find("setup"))
        for (const auto& line : setup->list()) out.setup.push_back(read_line(line));
    if (const auto* program = map.find("program")) {
        out.program = read_line(*program);
        if (!out.program.is_absolute())
            program->fail("this path depends on the folder in which a job starts",
                          "write the whole path, from /");
    }
    return out;
}

}  // namespace

Result<Cluster> load_cluster(const std::filesystem::path& file) {
    return guarded([&] { return read_cluster(file); });
}

}  // namespace cugrade::config

// Fits the time model to speedups that were measured on a GPU, and judges it by others.
//
//     cugrade_calibrate collect --times FILE.tsv --out COUNTS.json   # any machine; some minutes
//     cugrade_calibrate fit --times FILE.tsv --counts COUNTS.json    # prints constants to paste
//     cugrade_calibrate judge --times FILE.tsv --counts COUNTS.json --points FILE.tsv
//
// FILE.tsv is what speedups.py wrote on the GPU. The submissions are parted in two halves by a hash
// of their names; the constants are fitted to one half (and to the baselines, which both halves are
// measured against), and `judge` reports on each half: Spearman's correlation of the speedups and
// how many submissions get the tier that the measured speedup gets.
#include <algorithm>
#include <cmath>
#include <fstream>
#include <iostream>
#include <map>
#include <mutex>
#include <numeric>
#include <random>
#include <thread>

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "build/build.hpp"
#include "build/course.hpp"
#include "config/load.hpp"
#include "core/in_parallel.hpp"
#include "datasets/seeds.hpp"
#include "emulator/counts/json.hpp"
#include "timing/modelling.hpp"
#include "timing/sampling.hpp"

namespace cugrade {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

/// Assignment, task, kind ("correct", "slow", "solution", "baseline"), name.
using Key = std::array<std::string, 4>;

struct Row {
    Key key;
    double baseline_us = 0, submission_us = 0;
    [[nodiscard]] double speedup() const { return baseline_us / submission_us; }
    /// The half that the constants are fitted to.
    [[nodiscard]] bool is_for_fitting() const {
        const std::string hash = datasets::sha256({key[0] + "/" + key[2] + "/" + key[3]});
        return std::string_view("02468ace").find(hash[1]) != std::string_view::npos;
    }
};

/// Several rows of one submission and task are the same measured again: the median counts, and of
/// the baseline that of all rows of the task.
std::vector<Row> read_times(const std::string& file) {
    std::ifstream in(file);
    if (!in) throw std::runtime_error("cannot read " + file);
    std::map<Key, std::vector<double>> times;
    std::map<std::pair<std::string, std::string>, std::vector<double>> baselines;
    std::string line;
    std::getline(in, line);
    while (std::getline(in, line)) {
        std::istringstream fields(line);
        Key key;
        double baseline = 0, submission = 0;
        for (std::string& part : key) std::getline(fields, part, '\t');
        if (!(fields >> baseline >> submission)) throw std::runtime_error(file + ": " + line);
        times[key].push_back(submission);
        baselines[{key[0], key[1]}].push_back(baseline);
    }
    std::vector<Row> rows;
    for (const auto& [key, all] : times)
        rows.push_back({key, median(baselines[{key[0], key[1]}]), median(all)});
    return rows;
}

fs::path source_of(const Home& home, const fs::path& submissions, const Key& key) {
    if (key[2] == "solution" || key[2] == "baseline")
        return home.share / "reference" / key[0] / (key[2] + ".cu");
    return submissions / key[0] / key[2] / (key[3] + ".cu");
}

int collect(const Course& course, const std::vector<Row>& rows, const fs::path& submissions,
            const std::string& out) {
    std::vector<Key> keys;
    for (const Row& row : rows) {
        keys.push_back(row.key);
        keys.push_back({row.key[0], row.key[1], "baseline", "baseline"});
    }
    std::ranges::sort(keys);
    keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
    Json all = Json::array();
    std::mutex mutex;
    const auto at_once = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
    const auto counted_all = in_parallel(keys.size(), at_once, [&](std::size_t n) -> Status {
        const Key& key = keys[n];
        const AssignmentSpec* assignment = course.find(key[0]);
        if (assignment == nullptr) return Done{};
        const auto task = std::ranges::find(assignment->tasks, key[1], &TaskSpec::name);
        if (task == assignment->tasks.end() || task->model.empty()) return Done{};
        const Limits& limits = course.policy.assignments.at(assignment->id).limits;
        auto built = build(course.home, course.toolchain,
                           {.source = source_of(course.home, submissions, key),
                            .assignment = assignment,
                            .target = {},
                            .limits = limits});
        if (!built) return built.error();
        if (!built->build) throw std::runtime_error(built->failure->message);
        const SessionOptions session{
            .home = &course.home, .executable = built->build->executable, .limits = limits};
        const GradeOptions options;
        CaseStore cases(*assignment, *task, options);
        auto counted = count_for_model(session, cases);
        const std::lock_guard lock(mutex);
        const std::string name = fmt::format("{}", fmt::join(key, "/"));
        if (!counted) throw std::runtime_error(name + ": " + counted.error().text());
        if (counted->verdict != Verdict::accepted) {
            std::cerr << name << ": not counted: " << counted->message << '\n';
            return Done{};
        }
        Json one{{"key", key}, {"samples", Json::array()}};
        for (const model::Sample& s : counted->samples) {
            Json counts = Json::parse(to_json(s.counts));
            for (Json& kernel : counts["kernels"]) kernel["lines"] = Json::array();
            one["samples"].push_back({{"elements", s.elements},
                                      {"multiprocessors", s.multiprocessors},
                                      {"counts", std::move(counts)}});
        }
        if (counted->between) {
            Json counts = Json::parse(to_json(counted->between->counts));
            for (Json& kernel : counts["kernels"]) kernel["lines"] = Json::array();
            one["between"] = {{"elements", counted->between->elements},
                              {"counts", std::move(counts)}};
        }
        one["elements"] = largest_argument(*task, *task->timed_case());
        all.push_back(std::move(one));
        return Done{};
    });
    if (!counted_all) throw std::runtime_error(counted_all.error().text());
    std::ofstream(out) << all.dump() << '\n';
    std::cout << fmt::format("{} of {} tasks of submissions counted\n", all.size(), keys.size());
    return 0;
}

struct Counted {
    model::Samples samples;
    double elements = 0;
};

std::map<Key, Counted> read_counts(const std::string& file) {
    std::ifstream in(file);
    std::map<Key, Counted> out;
    for (const Json& one : Json::parse(in)) {
        Counted c{.samples = {}, .elements = one.at("elements").get<double>()};
        for (std::size_t k = 0; k < c.samples.size(); ++k) {
            const Json& from = one.at("samples").at(k);
            auto counts = emulator::counts_from_json(from.at("counts").dump());
            if (!counts) throw std::runtime_error(counts.error().text());
            c.samples[k] = {from.at("elements").get<double>(),
                            from.at("multiprocessors").get<double>(), std::move(*counts)};
        }
        out[one.at("key").get<Key>()] = std::move(c);
    }
    return out;
}

/// A row with what was counted of it and of its baseline.
struct Point {
    Row row;
    const Counted* submission;
    const Counted* baseline;
};

std::vector<Point> join(const std::vector<Row>& rows, const std::map<Key, Counted>& counts) {
    std::vector<Point> out;
    for (const Row& row : rows) {
        const auto mine = counts.find(row.key);
        const auto base = counts.find({row.key[0], row.key[1], "baseline", "baseline"});
        if (mine != counts.end() && base != counts.end())
            out.push_back({row, &mine->second, &base->second});
    }
    return out;
}

double us_of(const model::Device& device, const model::Calibration& c, const Counted& counted) {
    return predict(device, c, counted.samples, counted.elements).us;
}

std::vector<std::pair<const char*, double*>> constants_of(model::Calibration& c) {
    return {{"issue", &c.issue},
            {"dram_efficiency", &c.dram_efficiency},
            {"l1_pass", &c.l1_pass},
            {"l1_fill", &c.l1_fill},
            {"l1_store", &c.l1_store},
            {"wavefront", &c.wavefront},
            {"swap_pass", &c.swap_pass},
            {"l2_load", &c.l2_load},
            {"l2_store", &c.l2_store},
            {"dram_again", &c.dram_again},
            {"dram_single", &c.dram_single},
            {"l2_sector", &c.l2_sector},
            {"l1_latency", &c.l1_latency},
            {"l2_latency", &c.l2_latency},
            {"dram_latency", &c.dram_latency},
            {"dependent", &c.dependent},
            {"barrier", &c.barrier},
            {"block", &c.block},
            {"address32", &c.address32},
            {"address64", &c.address64},
            {"address_float", &c.address_float},
            {"kib32", &c.kib32},
            {"kib64", &c.kib64},
            {"atomic_sector", &c.atomic_sector},
            {"norm", &c.norm},
            {"loaded_norm", &c.loaded_norm},
            {"dispatch", &c.dispatch},
            {"host_efficiency", &c.host_efficiency},
            {"launch_us", &c.launch_us},
            {"child_launch_us", &c.child_launch_us},
            {"allocation_us", &c.allocation_us},
            {"release_us", &c.release_us},
            {"copy_us", &c.copy_us},
            {"write_us", &c.write_us}};
}

/// Those that are looked for: all, if none is named.
std::vector<std::pair<const char*, double*>> constants_of(model::Calibration& c,
                                                          const std::vector<std::string>& only) {
    auto out = constants_of(c);
    if (!only.empty())
        std::erase_if(
            out, [&](const auto& one) { return std::ranges::find(only, one.first) == only.end(); });
    return out;
}

/// How far the model is off over the half for fitting, in a sum that outliers do not rule; plus a
/// little for constants that leave where they started, so that those without data stay.
double loss(const model::Device& device, model::Calibration c, const std::vector<Point>& points) {
    const auto off = [](double e) { return std::sqrt(1 + 16 * e * e) - 1; };
    double sum = 0;
    std::map<const Counted*, double> baselines;
    for (const Point& p : points) {
        const auto [base, is_new] = baselines.try_emplace(p.baseline, 0);
        if (is_new) {
            base->second = us_of(device, c, *p.baseline);
            sum += off(std::log(base->second / p.row.baseline_us));
        }
        if (p.row.is_for_fitting())
            sum += off(std::log(us_of(device, c, *p.submission) / p.row.submission_us));
    }
    model::Calibration start;
    const auto now = constants_of(c), then = constants_of(start);
    for (std::size_t n = 0; n < now.size(); ++n)
        sum += 0.05 * std::pow(std::log(*now[n].second / *then[n].second), 2);
    return sum;
}

/// Coordinate descent from `best` in the logarithms of the constants.
std::pair<model::Calibration, double> descend(const model::Device& device, model::Calibration best,
                                              const std::vector<Point>& points,
                                              const std::vector<std::string>& only) {
    double least = loss(device, best, points);
    for (double step = 1.6; step > 1.01; step = std::sqrt(step)) {
        bool better = true;
        for (int round = 0; better && round < 20; ++round) {
            better = false;
            for (const auto& [name, value] : constants_of(best, only))
                for (const double factor : {step, 1 / step}) {
                    const double before = *value;
                    *value *= factor;
                    if (std::string_view(name) == "dram_efficiency") *value = std::min(*value, 0.9);
                    if (const double l = loss(device, best, points); l < least - 1e-6) {
                        least = l;
                        better = true;
                    } else {
                        *value = before;
                    }
                }
        }
    }
    return {best, least};
}

int fit(const model::Device& device, const std::vector<Point>& points,
        const std::vector<std::string>& only) {
    std::mt19937 random(1);
    std::uniform_real_distribution<double> factor(std::log(0.5), std::log(2.0));
    auto best = descend(device, {}, points, only);
    std::cout << fmt::format("loss {:.3f}\n", best.second);
    for (int start = 1; start < 12; ++start) {
        model::Calibration from;
        for (const auto& [name, value] : constants_of(from, only))
            *value *= std::exp(factor(random));
        const auto other = descend(device, from, points, only);
        std::cout << fmt::format("another start: loss {:.3f}\n", other.second);
        if (other.second < best.second) best = other;
    }
    for (const auto& [name, value] : constants_of(best.first))
        std::cout << fmt::format("    double {} = {:.3g};\n", name, *value);
    return 0;
}

std::vector<double> ranks(const std::vector<double>& values) {
    std::vector<std::size_t> order(values.size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::sort(order, {}, [&](std::size_t n) { return values[n]; });
    std::vector<double> out(values.size());
    for (std::size_t begin = 0, end = 0; begin < order.size(); begin = end) {
        while (end < order.size() && values[order[end]] == values[order[begin]]) ++end;
        for (std::size_t n = begin; n < end; ++n)
            out[order[n]] = (static_cast<double>(begin + end) - 1) / 2;
    }
    return out;
}

/// Spearman's: Pearson's of the ranks.
double correlation(const std::vector<double>& x, const std::vector<double>& y) {
    const auto a = ranks(x), b = ranks(y);
    const double mean = (static_cast<double>(a.size()) - 1) / 2;
    double ab = 0, aa = 0, bb = 0;
    for (std::size_t n = 0; n < a.size(); ++n) {
        ab += (a[n] - mean) * (b[n] - mean);
        aa += (a[n] - mean) * (a[n] - mean);
        bb += (b[n] - mean) * (b[n] - mean);
    }
    return ab / std::sqrt(aa * bb);
}

double credit(const TaskPolicy& policy, double speedup) {
    double out = 0;
    for (const Tier& tier : policy.tiers)
        if (speedup >= tier.speedup) out = tier.credit;
    return out;
}

int judge(const Course& course, const model::Device& device, const std::vector<Point>& points,
          const std::string& file, bool details, bool hide_unseen) {
    std::ofstream table;
    if (!file.empty()) table.open(file);
    const model::Calibration calibration;
    for (const bool seen : {true, false}) {
        std::vector<double> measured, modelled;
        int same = 0;
        for (const Point& p : points) {
            if (p.row.is_for_fitting() != seen) continue;
            const double base = us_of(device, calibration, *p.baseline);
            const auto mine =
                predict(device, calibration, p.submission->samples, p.submission->elements);
            const double speedup = base / mine.us;
            measured.push_back(p.row.speedup());
            modelled.push_back(speedup);
            const TaskPolicy& policy =
                course.policy.assignments.at(p.row.key[0]).tasks.at(p.row.key[1]);
            const bool agrees = credit(policy, speedup) == credit(policy, p.row.speedup());
            same += agrees ? 1 : 0;
            if (table.is_open())
                table << fmt::format("{}\t{}\t{:.4g}\t{:.4g}\t{}\n", fmt::join(p.row.key, "/"),
                                     seen ? "fitted" : "unseen", p.row.speedup(), speedup,
                                     agrees ? 1 : 0);
            if (hide_unseen && !seen) continue;
            std::cout << fmt::format(
                "{} {:60} measured {:9.3g} us {:8.3g} x   modelled {:9.3g} us {:8.3g} x  time off "
                "{:5.2f} {}\n",
                seen ? "fitted" : "unseen", fmt::format("{}", fmt::join(p.row.key, "/")),
                p.row.submission_us, p.row.speedup(), mine.us, speedup,
                mine.us / p.row.submission_us, agrees ? "" : "OTHER TIER");
            if (details) {
                for (const auto& k : mine.kernels)
                    std::cout << fmt::format(
                        "        {:40.40} x{:<5.0f} {:9.1f} us: issue {:.1f} L1 {:.1f} L2 {:.1f} "
                        "DRAM {:.1f} atomics {:.1f} latency {:.1f} overhead {:.1f}\n",
                        k.kernel, k.launches, k.us, k.issue, k.l1, k.l2, k.dram, k.atomics,
                        k.latency, k.overhead);
                if (mine.host_us > 1)
                    std::cout << fmt::format("        host {:.1f} us\n", mine.host_us);
            }
        }
        std::cout << fmt::format("{}: {} kernels, Spearman {:.3f}, same tier {} of {}\n",
                                 seen ? "fitted" : "unseen", measured.size(),
                                 correlation(measured, modelled), same, measured.size());
    }
    std::map<Key, double> done;
    for (const Point& p : points) {
        const Key key{p.row.key[0], p.row.key[1], "baseline", "baseline"};
        if (!done.emplace(key, 0).second) continue;
        const auto base = predict(device, calibration, p.baseline->samples, p.baseline->elements);
        std::cout << fmt::format(
            "baseline {:30} measured {:9.4g} us modelled {:9.4g} us  off {:.2f}\n",
            key[0] + "/" + key[1], p.row.baseline_us, base.us, base.us / p.row.baseline_us);
        if (details)
            for (const auto& k : base.kernels)
                std::cout << fmt::format(
                    "        {:40.40} x{:<5.0f} {:9.1f} us: issue {:.1f} L1 {:.1f} L2 {:.1f} DRAM "
                    "{:.1f} atomics {:.1f} latency {:.1f} overhead {:.1f}\n",
                    k.kernel, k.launches, k.us, k.issue, k.l1, k.l2, k.dram, k.atomics, k.latency,
                    k.overhead);
    }
    return 0;
}

}  // namespace
}  // namespace cugrade

int main(int argc, char** argv) {
    using namespace cugrade;
    CLI::App app("Fits the time model to measured speedups, and judges it");
    std::string times, counts, out, points;
    fs::path submissions = CUGRADE_SOURCE_DIR "/tests/submissions";
    bool details = false, hide = false;
    app.require_subcommand(1);
    auto* collecting = app.add_subcommand("collect", "count on the emulated GPU");
    auto* fitting = app.add_subcommand("fit", "find constants");
    auto* judging = app.add_subcommand("judge", "report on both halves");
    for (auto* sub : {collecting, fitting, judging}) sub->add_option("--times", times)->required();
    collecting->add_option("--out", out)->required();
    for (auto* sub : {fitting, judging}) sub->add_option("--counts", counts)->required();
    std::vector<std::string> only;
    fitting->add_option("--only", only, "constants to find; the others stay")->delimiter(',');
    judging->add_option("--points", points, "where measured and modelled speedups go");
    judging->add_flag("--details", details);
    judging->add_flag("--hide-unseen", hide);
    CLI11_PARSE(app, argc, argv);
    try {
        auto home = Home::find();
        if (!home) throw std::runtime_error(home.error().text());
        auto course = Course::load(*home);
        if (!course) throw std::runtime_error(course.error().text());
        const std::vector<Row> rows = read_times(times);
        if (*collecting) return collect(*course, rows, submissions, out);
        const auto counted = read_counts(counts);
        const std::vector<Point> all = join(rows, counted);
        auto device = config::load_device(home->share / "devices", "h200");
        if (!device) throw std::runtime_error(device.error().text());
        return *fitting ? fit(*device, all, only)
                        : judge(*course, *device, all, points, details, hide);
    } catch (const std::exception& error) {
        std::cerr << "cugrade_calibrate: " << error.what() << '\n';
        return 2;
    }
}

#include "studies/sweep.hpp"

#include <algorithm>
#include <fstream>
#include <optional>

#include <sched.h>

#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include "backend/backend.hpp"
#include "core/clock.hpp"
#include "core/sized_cases.hpp"
#include "datasets/seeds.hpp"
#include "gpu/gpu_memory.hpp"
#include "gpu/memory_roof.hpp"
#include "studies/sizes.hpp"
#include "timing/event_timing.hpp"
#include "timing/modelling.hpp"
#include "timing/sampling.hpp"

namespace cugrade {
namespace {

namespace fs = std::filesystem;

/// Limit on all calls of one program for one size; generous, because a sweep should show slow
/// programs.
constexpr double call_patience_s = 120;
constexpr double oracle_target_s = 0.3;
constexpr int most_oracle_samples = 31;
/// The data, the outputs read back to compare, the expected answers and their bounds.
constexpr double host_share = 4;

/// A program of the sweep that a runner runs.
struct Contender {
    std::size_t index = 0;  ///< in Sweep::programs
    SessionOptions options;
    std::unique_ptr<Session> session;  ///< on a GPU
    std::string gave_up;               ///< why no larger size is tried
    bool own = false;                  ///< of the course: counts are kept in the cache
    ModelCounts counts;                ///< without a GPU
};

/// Keeps this thread, and those that it starts, on one processor.
class OneProcessor {
public:
    OneProcessor() {
        if (::sched_getaffinity(0, sizeof before_, &before_) != 0) return;
        cpu_set_t one;
        CPU_ZERO(&one);
        CPU_SET(::sched_getcpu(), &one);
        set_ = ::sched_setaffinity(0, sizeof one, &one) == 0;
    }
    ~OneProcessor() {
        if (set_) ::sched_setaffinity(0, sizeof before_, &before_);
    }
    OneProcessor(const OneProcessor&) = delete;
    OneProcessor& operator=(const OneProcessor&) = delete;

private:
    cpu_set_t before_{};
    bool set_ = false;
};

SweepPoint not_timed(std::uint64_t n, Verdict verdict, std::string message) {
    return {.n = n, .verdict = verdict, .message = std::move(message)};
}

SweepPoint timed_point(std::uint64_t n, const std::vector<double>& us) {
    const MedianInterval interval = median_interval(us);
    return {.n = n,
            .message = {},
            .median_us = interval.median,
            .low_us = interval.low,
            .high_us = interval.high,
            .samples = static_cast<int>(us.size())};
}

/// Bytes that Linux says a program may still use; 0: it does not say.
double available_host_bytes() {
    std::ifstream in("/proc/meminfo");
    for (std::string key; in >> key;) {
        double kib = 0;
        if (key == "MemAvailable:" && in >> kib) return kib * 1024;
    }
    return 0;
}

double bytes_of(const TaskSpec& task, const CaseSpec& spec, bool only_moved) {
    double out = 0;
    for (const ArgumentSpec& argument : task.arguments)
        if (argument.role != Role::scalar &&
            (!only_moved || std::ranges::find(task.moves, argument.name) != task.moves.end()))
            out += elements_of(argument, spec) * static_cast<double>(size_of(argument.dtype));
    return out;
}

/// The name of its file, with as much of the path as makes it unique.
std::string name_for(const fs::path& source, const Sweep& sweep) {
    fs::path path = fs::absolute(source).lexically_normal();
    if (!path.has_filename()) path = path.parent_path();
    std::string name = path.extension() == ".cu" ? path.stem().string() : path.filename().string();
    // The characters that CSV files, gnuplot and terminals take literally.
    const auto plain = [](std::string text) {
        for (char& c : text)
            if (static_cast<unsigned char>(c) < ' ' || c == '"' || c == '\'' || c == ',' ||
                c == '\\' || c == '`' || c == 0x7f)
                c = '_';
        return text;
    };
    std::string out = plain(name);
    while (std::ranges::find(sweep.programs, out, &SweptProgram::name) != sweep.programs.end()) {
        path = path.parent_path();
        name = (path.has_filename() ? path.filename().string() : "again") + "/" + name;
        out = plain(name);
    }
    return out;
}

Error unusable(const fs::path& source, std::string message) {
    return {.kind = ErrorKind::usage,
            .message = std::move(message),
            .file = source.string(),
            .remedy = "`cugrade check` says more"};
}

class Sweeper {
public:
    Sweeper(const Course& course, const SweepRequest& request, const Backend& backend,
            const SizedCases& cases)
        : course_(course),
          request_(request),
          backend_(backend),
          cases_(cases),
          limits_(course.policy.assignments.at(request.assignment->id).limits) {
        limits_.wall_s = std::max(limits_.wall_s, call_patience_s);
    }

    Result<Sweep> run() {
        out_.assignment = request_.assignment->id;
        out_.task = request_.task->name;
        out_.argument = cases_.argument();
        out_.provenance = provenance(course_, backend_);
        out_.command = request_.command;
        out_.programs.push_back(
            {.name = "CPU oracle", .file = {}, .sha256 = {}, .basis = "wall clock", .points = {}});
        if (auto status = build_all(); !status) return status.error();
        if (!backend_.measures_time()) {
            if (auto status = count_all(); !status) return status.error();
            if (auto status = go_through_sizes(); !status) return status.error();
            return std::move(out_);
        }
        auto done = backend_.with_device(course_.home, [&](const GpuInfo& gpu) -> Status {
            if (auto status = begin_on(gpu); !status) return status.error();
            auto status = go_through_sizes();
            contenders_.clear();  // sessions end where they were opened
            return status;
        });
        if (!done) return done.error();
        return std::move(out_);
    }

private:
    Status build_all() {
        for (const char* name : {"baseline", "solution"}) {
            const std::string file = std::string(name) + ".cu";
            const fs::path source = reference_file(course_, *request_.assignment, file.c_str());
            std::error_code error;  // the solution is not everywhere
            if (!fs::exists(source, error)) continue;
            auto built = build_reference(course_, *request_.assignment, limits_, backend_.target(),
                                         file.c_str());
            if (!built) return built.error();
            if (auto status = add(name, file, source, *built, true); !status) return status.error();
        }
        for (const fs::path& source : request_.submissions) {
            say(fmt::format("compiling {}", source.string()));
            auto built = build(
                course_.home, course_.toolchain,
                {.source = source,
                 .assignment = request_.assignment,
                 .target = backend_.target(),
                 .limits = limits_,
                 .keeper = request_.options.keeper,
                 .forbidden = course_.policy.assignments.at(request_.assignment->id).forbidden});
            if (!built) return built.error();
            if (built->failure) return unusable(source, built->failure->message);
            if (auto status =
                    add(name_for(source, out_), source.string(), source, *built->build, false);
                !status)
                return status.error();
        }
        return Done{};
    }
    Status add(std::string name, std::string file, const fs::path& source, const Build& built,
               bool own) {
        auto hash = submission_sha256(source);
        if (!hash) return hash.error();
        contenders_.push_back(
            {.index = out_.programs.size(),
             .options = session_options(course_, built, limits_, request_.options,
                                        threads_of_each(request_.options.emulator_threads, 1)),
             .session = nullptr,
             .gave_up = {},
             .own = own,
             .counts = {}});
        out_.programs.push_back({.name = std::move(name),
                                 .file = std::move(file),
                                 .sha256 = *hash,
                                 .basis = backend_.measures_time() ? "events" : "modelled",
                                 .points = {}});
        return Done{};
    }

    /// Without a GPU.
    Status count_all() {
        if (!course_.modelled_on)
            return Error{.kind = ErrorKind::configuration,
                         .message = "there is no GPU whose times could be modelled",
                         .file = course_.policy.file,
                         .key = "defaults.modelled_on",
                         .remedy = "name a device profile, as in docs/modelled-time.md"};
        const model::Device& device = *course_.modelled_on;
        out_.provenance.device = device.name;
        set_roof(modelled_memory_roof(device));
        if (request_.task->model.empty())
            return Error{.kind = ErrorKind::usage,
                         .message = fmt::format("there is no time model of {}/{}",
                                                request_.assignment->id, request_.task->name),
                         .remedy = "sweep it on a GPU: the model knows nothing of its waiting"};
        CaseStore of_model(*request_.assignment, *request_.task, request_.options);
        for (Contender& contender : contenders_) {
            say(fmt::format("counting {}", out_.programs[contender.index].name));
            if (contender.own) {
                auto samples = count_baseline(contender.options, of_model);
                if (!samples) return samples.error();
                contender.counts.samples = std::move(*samples);
                continue;
            }
            auto counts = count_for_model(contender.options, of_model);
            if (!counts) return counts.error();
            if (counts->verdict == Verdict::function_missing) return lacks_function(contender);
            contender.counts = std::move(*counts);
        }
        return Done{};
    }

    Status begin_on(const GpuInfo& gpu) {
        auto roof = measure_memory_roof(gpu);
        if (!roof) return roof.error();
        set_roof(*roof);
        for (Contender& contender : contenders_) {
            contender.options.device = gpu;
            if (auto status = open(contender); !status) return status.error();
            auto defined = contender.session->has_function(*request_.task);
            if (!defined) return defined.error();
            if (!*defined) return lacks_function(contender);
        }
        return Done{};
    }
    void set_roof(const MemoryRoof& roof) {
        out_.bandwidth_gb_s = roof.bytes_per_us / 1e3;
        out_.launch_us = roof.launch_us;
        out_.roof_source = roof.source;
    }
    Status open(Contender& contender) {
        auto session = backend_.open(contender.options);
        if (!session) return session.error();
        contender.session = std::move(*session);
        return Done{};
    }
    Error lacks_function(const Contender& contender) const {
        return unusable(out_.programs[contender.index].file,
                        fmt::format("it does not define `{}`", request_.task->function));
    }

    Status go_through_sizes() {
        if (request_.after_size) request_.after_size(out_, 0);
        for (const std::uint64_t wanted : request_.sizes) {
            const CaseSpec spec = cases_.with(wanted);
            const std::uint64_t n = cases_.elements(spec);
            // Two sizes that were asked for may be the same image.
            if (!out_.sizes.empty() && n <= out_.sizes.back().n) continue;
            const double moved = bytes_of(*request_.task, spec, true);
            out_.sizes.push_back({.n = n,
                                  .parameters = cases_.parameters(spec),
                                  .bytes = moved,
                                  .roof_us = out_.launch_us + moved / (out_.bandwidth_gb_s * 1e3)});
            auto no_room = why_no_room(spec);
            if (!no_room) return no_room.error();
            if (*no_room) {
                for (SweptProgram& program : out_.programs)
                    program.points.push_back(not_timed(n, Verdict::skipped, **no_room));
            } else {
                if (auto status = time_size(spec, n); !status) return status.error();
            }
            if (request_.after_size) request_.after_size(out_, out_.sizes.size());
        }
        return Done{};
    }

    /// Why there is not enough memory for it, or nothing.
    Result<std::optional<std::string>> why_no_room(const CaseSpec& spec) const {
        const double bytes = bytes_of(*request_.task, spec, false);
        constexpr double mib = 1 << 20;
        if (const double room = available_host_bytes(); room > 0 && host_share * bytes > room)
            return std::optional(
                fmt::format("it needs {:.0f} MiB of the host's memory, of which "
                            "{:.0f} are free",
                            host_share * bytes / mib, room / mib));
        if (!backend_.measures_time()) return std::optional<std::string>();
        std::size_t free = 0, all = 0;
        if (auto status = CUGRADE_CUDA(cudaMemGetInfo(&free, &all)); !status) return status.error();
        // A program may want as much again for itself.
        if (2 * bytes > static_cast<double>(free))
            return std::optional(
                fmt::format("it needs {:.0f} MiB of the GPU's memory and as much "
                            "for the program's own, and {:.0f} are free",
                            bytes / mib, static_cast<double>(free) / mib));
        return std::optional<std::string>();
    }

    Status time_size(const CaseSpec& spec, std::uint64_t n) {
        say(fmt::format("n = {}: data", n));
        auto data = make_case(*request_.assignment, *request_.task, spec, request_.options);
        if (!data) return data.error();
        MadeCase made(*request_.assignment, std::move(*data));
        say(fmt::format("n = {}: CPU oracle", n));
        std::vector<Expected> expected;
        std::vector<double> us;
        {
            const OneProcessor alone;
            for (double all_s = 0;
                 us.empty() || (all_s < oracle_target_s && us.size() < most_oracle_samples);) {
                const auto start = Clock::now();
                auto answer = expected_answer(*request_.assignment, made.data());
                const double s = seconds_since(start);
                if (!answer) return answer.error();
                expected = std::move(*answer);
                us.push_back(1e6 * s);
                all_s += s;
            }
        }
        out_.programs.front().points.push_back(timed_point(n, us));
        for (Contender& contender : contenders_) {
            say(fmt::format("n = {}: {}", n, out_.programs[contender.index].name));
            auto point = backend_.measures_time() ? measured(contender, made.data(), expected, n)
                                                  : modelled(contender, made, n);
            if (!point) return point.error();
            out_.programs[contender.index].points.push_back(std::move(*point));
        }
        return Done{};
    }

    Result<SweepPoint> measured(Contender& contender, const CaseData& data,
                                const std::vector<Expected>& expected, std::uint64_t n) {
        if (!contender.gave_up.empty()) return not_timed(n, Verdict::skipped, contender.gave_up);
        if (!contender.session)
            if (auto status = open(contender); !status) return status.error();
        auto times = time_by_events(*contender.session, *request_.assignment, *request_.task, data,
                                    expected, limits_);
        if (!times) return times.error();
        if (times->accepted()) {
            if (auto status = contender.session->clear(); !status) return status.error();
            return timed_point(n, times->call.event_us);
        }
        contender.session.reset();  // a session ends with the first failed call
        if (times->call.verdict == Verdict::time_limit)
            contender.gave_up = fmt::format("n = {} took too long", n);
        return not_timed(n, times->call.verdict, times->call.message + times->call.said);
    }

    Result<SweepPoint> modelled(const Contender& contender, MadeCase& made, std::uint64_t n) const {
        const ModelCounts& counts = contender.counts;
        if (counts.verdict != Verdict::accepted)
            return not_timed(n, counts.verdict, counts.message);
        const auto elements =
            static_cast<double>(largest_argument(*request_.task, *made.data().spec));
        const model::Device& device = *course_.modelled_on;
        model::Samples samples = counts.samples;
        if (elements <= samples[1].elements) {
            auto here = count_one(contender.options, *request_.assignment, made,
                                  static_cast<std::uint32_t>(device.multiprocessors),
                                  contender.own ? Cached::yes : Cached::no);
            if (!here) return here.error();
            if (here->verdict != Verdict::accepted)
                return not_timed(n, here->verdict, here->message);
            samples = std::move(here->samples);
        }
        const model::Prediction predicted = model::predict(device, {}, samples, elements);
        return SweepPoint{.n = n,
                          .message = {},
                          .median_us = predicted.us,
                          .low_us = predicted.us,
                          .high_us = predicted.us,
                          .samples = 1};
    }

    void say(const std::string& text) const {
        if (request_.options.progress) request_.options.progress(text);
    }

    const Course& course_;
    const SweepRequest& request_;
    const Backend& backend_;
    const SizedCases& cases_;
    Limits limits_;
    Sweep out_;
    std::vector<Contender> contenders_;
};

}  // namespace

Result<Sweep> sweep(const Course& course, const SweepRequest& request) {
    auto cases = SizedCases::of(*request.assignment, *request.task);
    if (!cases) return cases.error();
    auto backend = choose_backend(request.options);
    if (!backend) return backend.error();
    if (!(*backend)->measures_time() && request.options.backend == "auto")
        return Error{.kind = ErrorKind::usage,
                     .message = "there is no GPU here, and a sweep is of one",
                     .remedy =
                         "with --backend emulator the times are modelled from what kernels "
                         "were counted to do"};
    return Sweeper(course, request, **backend, *cases).run();
}

}  // namespace cugrade

#include "report/sweep.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/printable.hpp"
#include "report/figure.hpp"
#include "report/format.hpp"
#include "report/provenance.hpp"

namespace cugrade::report {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t widest_name = 18;

std::string size_text(std::uint64_t n) {
    if (n > 1 && std::has_single_bit(n)) return fmt::format("2^{}", std::countr_zero(n));
    return fmt::format("{}", n);
}

std::string short_name(const SweptProgram& program) {
    return program.name.size() <= widest_name ? program.name
                                              : program.name.substr(0, widest_name - 2) + "..";
}

std::size_t width_of(const SweptProgram& program) {
    return std::max<std::size_t>(short_name(program).size(), 9);
}

double gb_s(const SweptSize& size, const SweepPoint& point) {
    return point.median_us > 0 ? size.bytes / point.median_us / 1e3 : 0;
}

/// Pairs of programs in which one is faster at every size that decides.
std::string without_crossing(const Sweep& sweep) {
    std::string out;
    for (const SweptProgram& program : sweep.programs) {
        std::string slower;
        for (const SweptProgram& other : sweep.programs)
            if (&other != &program && crossings(program, other).empty() &&
                faster_in_the_end(program, other) == &program)
                slower += (slower.empty() ? "" : ", ") + other.name;
        if (!slower.empty())
            out += fmt::format("  {} is faster at every size than {}\n", program.name, slower);
    }
    return out;
}

}  // namespace

std::string time_text(double us) {
    if (us < 1e3) return fmt::format("{:.{}f} us", us, us < 10 ? 2 : us < 100 ? 1 : 0);
    if (us < 1e6) return fmt::format("{:.{}f} ms", us / 1e3, us < 1e4 ? 2 : us < 1e5 ? 1 : 0);
    return fmt::format("{:.{}f} s", us / 1e6, us < 1e7 ? 2 : us < 1e8 ? 1 : 0);
}

std::string sweep_head(const Sweep& sweep) {
    std::string out =
        fmt::format("{}/{} on {}{}: elements of `{}`, and the time of a call\n", sweep.assignment,
                    sweep.task, sweep.provenance.times_modelled ? "a model of " : "",
                    sweep.provenance.device, sweep.argument);
    if (sweep.provenance.times_modelled)
        out +=
            "Times are modelled, not measured, but for the CPU oracle's, which is this "
            "machine's.\n";
    out += fmt::format("{:>10}", "n");
    for (const SweptProgram& program : sweep.programs)
        out += fmt::format("  {:>{}}", short_name(program), width_of(program));
    return out + fmt::format("  {:>9}\n", "roof");
}

std::string sweep_row(const Sweep& sweep, std::size_t at) {
    std::string out = fmt::format("{:>10}", size_text(sweep.sizes[at].n));
    for (const SweptProgram& program : sweep.programs) {
        const SweepPoint& point = program.points[at];
        const std::string text =
            point.timed() ? time_text(point.median_us) : std::string(name(point.verdict));
        out += fmt::format("  {:>{}}", text, width_of(program));
    }
    return out + fmt::format("  {:>9}\n", time_text(sweep.sizes[at].roof_us));
}

std::string sweep_findings(const Sweep& sweep) {
    std::string out;
    for (const SweptProgram& program : sweep.programs) {
        // A message for several sizes is printed once.
        std::string said;
        for (const SweepPoint& point : program.points) {
            const std::string what = fmt::format("{}: {}", name(point.verdict), point.message);
            if (point.timed() || what == said) continue;
            said = what;
            out += fmt::format("{}, n = {}: {}\n", program.name, size_text(point.n),
                               clean(what, 300, false));
        }
    }
    if (!out.empty()) out = "No time, and no point in the figure:\n" + out;
    std::string crossing_lines;
    for (std::size_t a = 0; a < sweep.programs.size(); ++a)
        for (std::size_t b = a + 1; b < sweep.programs.size(); ++b)
            for (const Crossing& crossing : crossings(sweep.programs[a], sweep.programs[b]))
                crossing_lines +=
                    fmt::format("  from n = {} on (the lines meet at {}) {} is faster than {}\n",
                                size_text(crossing.from),
                                fmt::format("{:.{}f}", crossing.at, crossing.at < 10 ? 1 : 0),
                                crossing.faster, crossing.slower);
    const std::string rest = without_crossing(sweep);
    if (!crossing_lines.empty() || !rest.empty())
        out += fmt::format("Which is faster, {}:\n{}{}",
                           sweep.provenance.times_modelled
                               ? "by the model, for which differences of microseconds mean little"
                               : "where the intervals of the medians do not overlap",
                           crossing_lines, rest);
    return out;
}

std::string sweep_csv(const Sweep& sweep) {
    std::string out =
        "who,n,verdict,samples,median_us,low_us,high_us,bytes,gb_s,roof_us,basis,message\n";
    for (const SweptProgram& program : sweep.programs)
        for (std::size_t i = 0; i < program.points.size(); ++i) {
            const SweepPoint& point = program.points[i];
            const SweptSize& size = sweep.sizes[i];
            out += fmt::format("{},{},{},{},", csv_field(program.name), point.n,
                               name(point.verdict), point.samples);
            if (point.timed())
                out += fmt::format("{:.6g},{:.6g},{:.6g},{:.0f},{:.6g},", point.median_us,
                                   point.low_us, point.high_us, size.bytes, gb_s(size, point));
            else
                out += fmt::format(",,,{:.0f},,", size.bytes);
            out += fmt::format("{:.6g},{},{}\n", size.roof_us, program.basis,
                               csv_field(clean(point.message, 300, false)));
        }
    return out;
}

std::string sweep_json(const Sweep& sweep) {
    Json sizes = Json::array();
    for (const SweptSize& size : sweep.sizes)
        sizes.push_back({{"n", size.n},
                         {"parameters", size.parameters},
                         {"bytes", size.bytes},
                         {"roof_us", size.roof_us}});
    Json programs = Json::array();
    for (const SweptProgram& program : sweep.programs) {
        Json points = Json::array();
        for (std::size_t i = 0; i < program.points.size(); ++i) {
            const SweepPoint& point = program.points[i];
            Json row{{"n", point.n}, {"verdict", name(point.verdict)}};
            if (point.timed()) {
                row["samples"] = point.samples;
                row["median_us"] = point.median_us;
                row["low_us"] = point.low_us;
                row["high_us"] = point.high_us;
                row["gb_s"] = gb_s(sweep.sizes[i], point);
            } else {
                row["message"] = clean(point.message, 2000, false);
            }
            points.push_back(std::move(row));
        }
        Json one{{"name", program.name}, {"basis", program.basis}};
        if (!program.file.empty()) {
            one["file"] = clean(program.file, 1000, false);
            one["sha256"] = program.sha256;
        }
        one["points"] = std::move(points);
        programs.push_back(std::move(one));
    }
    Json all = Json::array();
    for (std::size_t a = 0; a < sweep.programs.size(); ++a)
        for (std::size_t b = a + 1; b < sweep.programs.size(); ++b)
            for (const Crossing& crossing : crossings(sweep.programs[a], sweep.programs[b]))
                all.push_back({{"faster", crossing.faster},
                               {"slower", crossing.slower},
                               {"from", crossing.from},
                               {"at", crossing.at}});
    Json out{{"format", "cugrade-sweep"},
             {"schema_version", Sweep::schema_version},
             {"assignment", sweep.assignment},
             {"task", sweep.task},
             {"argument", sweep.argument}};
    add_provenance(out, sweep.provenance);
    out["command"] = clean(sweep.command, 4000, false);
    out["roof"] = {{"bandwidth_gb_s", sweep.bandwidth_gb_s},
                   {"launch_us", sweep.launch_us},
                   {"source", sweep.roof_source}};
    out["sizes"] = std::move(sizes);
    out["programs"] = std::move(programs);
    out["crossings"] = std::move(all);
    return out.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string sweep_gnuplot(const Sweep& sweep, std::string_view kind) {
    std::string out = fmt::format("# gnuplot sweep.gp, in this folder, draws sweep.csv.\n{}",
                                  gnuplot_output("sweep", kind));
    out += fmt::format(
        "set datafile separator ','\n"
        "set logscale x 2\n"
        "set logscale y 10\n"
        "set format x '2^{{%L}}'\n"
        "set format y '10^{{%L}}'\n"
        "set grid lt 1 lw 0.5 lc rgb '#cccccc'\n"
        "set key outside right top noenhanced\n"
        "set title {} noenhanced\n"
        "set xlabel {} noenhanced\n"
        "set ylabel {}\n",
        gnuplot_text(fmt::format("{}/{}, {}{}", sweep.assignment, sweep.task,
                                 sweep.provenance.device,
                                 sweep.provenance.times_modelled ? ", modelled" : "")),
        gnuplot_text(fmt::format("elements of {}", sweep.argument)),
        gnuplot_text(sweep.provenance.times_modelled ? "microseconds (modelled)" : "microseconds"));
    // Every program has a row for every size, so the roof can be drawn from the first program's
    // rows.
    out += fmt::format(
        "rows(who) = strcol(1) eq who ? $2 : NaN\n"
        "times(who) = strcol(1) eq who && strcol(3) eq 'accepted' ? $2 : NaN\n"
        "plot 'sweep.csv' using (rows({})):10 with lines lw 3 lc rgb '#bbbbbb' title {}",
        gnuplot_text(sweep.programs.front().name),
        gnuplot_text(fmt::format("roof: {:.{}f} GB/s", sweep.bandwidth_gb_s,
                                 sweep.bandwidth_gb_s < 100 ? 1 : 0)));
    for (std::size_t i = 0; i < sweep.programs.size(); ++i) {
        const SweptProgram& program = sweep.programs[i];
        const std::string who = gnuplot_text(program.name);
        const bool any = std::ranges::any_of(program.points, &SweepPoint::timed);
        out += fmt::format(
            ", \\\n     '' using (times({})):5:6:7 with yerrorlines {} ps 0.6 title {}", who,
            gnuplot_style(i), any ? who : gnuplot_text(program.name + ": no times"));
    }
    return out + "\n";
}

}  // namespace cugrade::report

#include "report/roofline.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/printable.hpp"
#include "report/figure.hpp"
#include "report/format.hpp"
#include "report/provenance.hpp"
#include "report/sweep.hpp"

namespace cugrade::report {
namespace {

using Json = nlohmann::ordered_json;

std::string_view roof_of(const RooflineTask& task, const Roofs& roofs) {
    return task.below_memory(roofs) ? "memory" : "arithmetic";
}

/// 1e6 operations per microsecond are 1 Top/s.
std::string rate_text(double per_us) {
    if (per_us >= 1e6) return fmt::format("{:.{}f} Top/s", per_us / 1e6, per_us < 1e7 ? 2 : 1);
    return fmt::format("{:.{}f} Gop/s", per_us / 1e3, per_us < 1e4 ? 2 : per_us < 1e5 ? 1 : 0);
}

}  // namespace

std::string roofline_table(const Roofline& roofline) {
    const Roofs& roofs = roofline.roofs;
    std::string out = fmt::format(
        "{} of {} under the roofs of {}\n"
        "  memory      {:.0f} GB/s ({})\n"
        "  arithmetic  {}, of doubles {} ({})\n",
        clean(roofline.submission_file, 200, false), roofline.assignment,
        roofline.provenance.device, roofs.bytes_per_us / 1e3, roofs.bandwidth_source,
        rate_text(roofs.operations_per_us), rate_text(roofs.doubles_per_us),
        roofs.operations_source);
    if (roofline.provenance.times_modelled) out += "Times are modelled, not measured.\n";
    out += fmt::format("{:<18} {:>9} {:>12} {:>9} {:>10}  {:<20} {}\n", "task", "op/byte", "rate",
                       "GB/s", "time", "of the roof", "most of the time");
    for (const RooflineTask& task : roofline.tasks) {
        if (!task.has_point()) {
            out += fmt::format("{:<18} {}: {}\n", task.name, name(task.verdict),
                               clean(task.message, 300, false));
            continue;
        }
        out += fmt::format(
            "{:<18} {:>9.3g} {:>12} {:>9.0f} {:>10}  {:<20} {}\n", task.name, task.intensity(),
            rate_text(task.rate()), task.bytes / task.median_us / 1e3, time_text(task.median_us),
            fmt::format("{:.0f} % of {}", 100 * task.share(roofs), roof_of(task, roofs)),
            task.limited_by);
    }
    return out;
}

std::string roofline_csv(const Roofline& roofline) {
    std::string out =
        "task,verdict,operations,doubles,bytes,intensity,gop_s,median_us,low_us,high_us,samples,"
        "roof,share,limited_by,message\n";
    for (const RooflineTask& task : roofline.tasks) {
        out += fmt::format("{},{},", csv_field(task.name), name(task.verdict));
        if (task.has_point())
            out += fmt::format(
                "{:.6g},{:.6g},{:.6g},{:.6g},{:.6g},{:.6g},{:.6g},{:.6g},{},{},{:.4g},{},",
                task.operations, task.doubles, task.bytes, task.intensity(), task.rate() / 1e3,
                task.median_us, task.low_us, task.high_us, task.samples,
                roof_of(task, roofline.roofs), task.share(roofline.roofs),
                csv_field(task.limited_by));
        else
            out += ",,,,,,,,0,,,,";
        out += csv_field(clean(task.message, 300, false)) + "\n";
    }
    return out;
}

std::string roofline_json(const Roofline& roofline) {
    const Roofs& roofs = roofline.roofs;
    Json tasks = Json::array();
    for (const RooflineTask& task : roofline.tasks) {
        Json row{{"name", task.name}, {"verdict", name(task.verdict)}};
        if (task.has_point()) {
            row["case"] = task.description;
            row["operations"] = task.operations;
            row["doubles"] = task.doubles;
            row["bytes"] = task.bytes;
            row["intensity"] = task.intensity();
            row["gop_s"] = task.rate() / 1e3;
            row["median_us"] = task.median_us;
            row["low_us"] = task.low_us;
            row["high_us"] = task.high_us;
            row["samples"] = task.samples;
            row["roof"] = roof_of(task, roofs);
            row["share"] = task.share(roofs);
            if (!task.limited_by.empty()) row["limited_by"] = task.limited_by;
        } else {
            row["message"] = clean(task.message, 2000, false);
        }
        tasks.push_back(std::move(row));
    }
    Json out{{"format", "cugrade-roofline"},
             {"schema_version", Roofline::schema_version},
             {"assignment", roofline.assignment},
             {"submission",
              {{"file", clean(roofline.submission_file, 1000, false)},
               {"sha256", roofline.submission_sha256}}}};
    add_provenance(out, roofline.provenance);
    out["roofs"] = {{"bandwidth_gb_s", roofs.bytes_per_us / 1e3},
                    {"bandwidth_source", roofs.bandwidth_source},
                    {"gop_s", roofs.operations_per_us / 1e3},
                    {"doubles_gop_s", roofs.doubles_per_us / 1e3},
                    {"operations_source", roofs.operations_source}};
    out["tasks"] = std::move(tasks);
    return out.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string roofline_gnuplot(const Roofline& roofline, std::string_view kind) {
    const Roofs& roofs = roofline.roofs;
    // The figure contains all points and the corner of the roofs.
    double low = roofs.doubles_per_us / roofs.bytes_per_us,
           high = roofs.operations_per_us / roofs.bytes_per_us;
    for (const RooflineTask& task : roofline.tasks)
        if (task.has_point()) {
            low = std::min(low, task.intensity());
            high = std::max(high, task.intensity());
        }
    std::string out = fmt::format("# gnuplot roofline.gp, in this folder, draws roofline.csv.\n{}",
                                  gnuplot_output("roofline", kind));
    out += fmt::format(
        "set datafile separator ','\n"
        "set logscale xy\n"
        "set xrange [{:.4g}:{:.4g}]\n"
        "set samples 400\n"
        "set format y '10^{{%L}}'\n"
        "set grid lt 1 lw 0.5 lc rgb '#cccccc'\n"
        "set yrange [*:{:.4g}]\n"  // the key is above the roof
        "set key left top noenhanced\n"
        "set title {} noenhanced\n"
        "set xlabel 'operations per byte'\n"
        "set ylabel {}\n"
        "bandwidth = {:.6g}\n"
        "peak = {:.6g}\n"
        "doubles = {:.6g}\n",
        low / 8, high * 8, 20 * roofs.operations_per_us / 1e3,
        gnuplot_text(fmt::format("{} of {}, {}{}", roofline.submission_file, roofline.assignment,
                                 roofline.provenance.device,
                                 roofline.provenance.times_modelled ? ", modelled" : "")),
        gnuplot_text(roofline.provenance.times_modelled ? "Gop/s (modelled)" : "Gop/s"),
        roofs.bytes_per_us / 1e3, roofs.operations_per_us / 1e3, roofs.doubles_per_us / 1e3);
    out +=
        "point(who) = strcol(1) eq who ? $6 : NaN\n"
        "plot x * bandwidth < peak ? x * bandwidth : peak with lines lw 3 lc rgb '#bbbbbb' \\\n"
        "         title sprintf('roof: %.0f GB/s, %.0f Gop/s', bandwidth, peak), \\\n"
        "     x * bandwidth < doubles ? NaN : doubles with lines lw 2 dt 2 lc rgb '#bbbbbb' \\\n"
        "         title sprintf('of doubles: %.0f Gop/s', doubles)";
    std::size_t n = 0;
    for (const RooflineTask& task : roofline.tasks) {
        if (!task.has_point()) continue;
        const std::string who = gnuplot_text(task.name);
        out += fmt::format(
            ", \\\n     'roofline.csv' using (point({0})):7 with points {1} ps 1 title {0}, \\\n"
            "     '' using (point({0})):7:1 with labels left offset 0.7,0.5 noenhanced notitle",
            who, gnuplot_style(n++));
    }
    return out + "\n";
}

}  // namespace cugrade::report

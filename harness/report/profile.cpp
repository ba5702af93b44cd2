// Theory of operation. A line is costly for the share of the kernel's work that it causes. Work is
// counted in slots: one for each warp instruction issued, each sector of 32 bytes moved and each
// pass over the banks of shared memory, because each keeps one unit of a multiprocessor busy for
// about the same time. Advice compares the counts with the least that the same accesses could need;
// the difference is waste; rules that find little waste say nothing.
#include "report/profile.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "core/printable.hpp"
#include "emulator/counts/json.hpp"
#include "report/html.hpp"
#include "report/page.hpp"

namespace cugrade::report {
namespace {

using emulator::Counts;
using emulator::KernelCounts;
using emulator::Line;
using emulator::number;
using emulator::Traffic;

constexpr double lanes_per_warp = 32;
constexpr double sector_bytes = 32;
/// Advice that would save less than this share of the kernel's slots is not given.
constexpr double least_share = 0.05;
/// Fewer threads than this leave most of any GPU idle.
constexpr double enough_threads = 2048;
constexpr std::uint64_t many_launches = 8;

double ratio(std::uint64_t a, std::uint64_t b) { return b == 0 ? 0 : number(a) / number(b); }

double slots(const Counts& c) {
    return number(c.warp_instructions + c.global_load.sectors + c.global_store.sectors +
                  c.global_atomic.sectors + c.local_load.sectors + c.local_store.sectors +
                  c.shared_load.wavefronts + c.shared_store.wavefronts +
                  c.shared_atomic.wavefronts);
}

/// The sectors that the same bytes would fill if they lay side by side.
double least_sectors(const Traffic& t) {
    return std::max(number(t.requests), std::ceil(number(t.bytes) / sector_bytes));
}

std::string short_number(std::uint64_t n) {
    if (n < 10'000) return fmt::format("{}", n);
    if (n < 10'000'000) return fmt::format("{:.1f}k", number(n) / 1e3);
    return fmt::format("{:.1f}M", number(n) / 1e6);
}

std::string bytes_text(std::uint64_t n) {
    if (n < 10'000) return fmt::format("{} B", n);
    if (n < 10'000'000) return fmt::format("{:.1f} kB", number(n) / 1e3);
    return fmt::format("{:.1f} MB", number(n) / 1e6);
}

void advise_line(const Line& line, const Counts& c, std::vector<Advice>& out) {
    const auto add = [&](double waste, std::string text) {
        out.push_back({line.file, line.number, std::move(text), waste});
    };
    const auto coalescing = [&](const Traffic& t, const char* does) {
        const double least = least_sectors(t);
        if (number(t.sectors) < 1.5 * least) return;
        add(number(t.sectors) - least,
            fmt::format("a warp {} {:.1f} sectors of 32 bytes where {:.1f} would hold what it asks "
                        "for: let neighbouring threads use neighbouring elements",
                        does, ratio(t.sectors, t.requests), least / number(t.requests)));
    };
    coalescing(c.global_load, "reads");
    coalescing(c.global_store, "writes");
    const auto banks = [&](const Traffic& t, const char* does) {
        if (number(t.wavefronts) < 1.25 * number(t.ideal)) return;
        add(number(t.wavefronts - t.ideal),
            fmt::format(
                "shared memory is {} in {:.1f} passes where {:.1f} would do: lanes meet in one "
                "bank at different words; use neighbouring words, or pad each row by one",
                does, ratio(t.wavefronts, t.requests), ratio(t.ideal, t.requests)));
    };
    banks(c.shared_load, "read");
    banks(c.shared_store, "written");
    if (c.shared_atomic.wavefronts > 2 * c.shared_atomic.requests)
        add(number(c.shared_atomic.wavefronts - c.shared_atomic.requests),
            fmt::format(
                "{:.1f} lanes of a warp meet at one word of shared memory with an atomic and "
                "take turns",
                ratio(c.shared_atomic.wavefronts, c.shared_atomic.requests)));
    if (c.global_atomic.lanes > 0)
        add(2 * number(c.global_atomic.lanes),
            fmt::format("{} atomics on global memory: first add up within the thread, the warp or "
                        "the block, then do one atomic for all of it",
                        short_number(c.global_atomic.lanes)));
    const double active = ratio(c.thread_instructions, c.warp_instructions);
    if (c.warp_instructions > 0 && active < 0.75 * lanes_per_warp)
        add(number(c.warp_instructions) * (1 - active / lanes_per_warp),
            fmt::format(
                "only {:.1f} of 32 lanes are at work here: let whole warps take one side of "
                "a condition",
                active));
}

/// A sentence begins with a capital only where it stands alone.
std::string sentence(std::string text) {
    if (!text.empty() && text[0] >= 'a' && text[0] <= 'z')
        text[0] = static_cast<char>(text[0] - 32);
    return text + ".";
}

struct Row {
    int line;
    std::string margin;
    std::string text;
    double share;
    std::vector<std::string> notes;
};

/// The lines of one source of one kernel, with what they did.
std::vector<Row> rows_of(const KernelCounts& kernel, const std::string& file,
                         const std::vector<std::string>& source,
                         const std::vector<Advice>& advice) {
    const double all = std::max(slots(kernel.total), 1.0);
    int first = static_cast<int>(source.size()), last = 0;
    for (const auto& [line, counts] : kernel.lines)
        if (line.file == file && line.number >= 1 &&
            line.number <= static_cast<int>(source.size())) {
            first = std::min(first, line.number);
            last = std::max(last, line.number);
        }
    std::vector<Row> rows;
    for (int n = std::max(first - 1, 1); n <= last; ++n) {
        Row row{n, std::string(44, ' '), source[static_cast<std::size_t>(n - 1)], 0, {}};
        if (const auto at = kernel.lines.find({file, n}); at != kernel.lines.end()) {
            const Counts& c = at->second;
            row.share = slots(c) / all;
            Traffic global = c.global_load;
            global += c.global_store;
            global += c.global_atomic;
            Traffic shared = c.shared_load;
            shared += c.shared_store;
            shared += c.shared_atomic;
            const auto cell = [](bool any, const std::string& text, int width) {
                return fmt::format("{:>{}}", any ? text : "", width);
            };
            row.margin =
                cell(true, fmt::format("{:.1f}%", 100 * row.share), 6) +
                cell(c.warp_instructions > 0, short_number(c.warp_instructions), 9) +
                cell(c.warp_instructions > 0,
                     fmt::format("{:.1f}", ratio(c.thread_instructions, c.warp_instructions)), 7) +
                cell(global.requests > 0,
                     fmt::format("{:.1f}", ratio(global.sectors, global.requests)), 8) +
                cell(shared.requests > 0,
                     fmt::format("{:.1f}", ratio(shared.wavefronts, shared.requests)), 7) +
                cell(c.global_atomic.lanes + c.shared_atomic.lanes > 0,
                     short_number(c.global_atomic.lanes + c.shared_atomic.lanes), 7);
        }
        for (const Advice& a : advice)
            if (a.file == file && a.line == n) row.notes.push_back(a.text);
        rows.push_back(std::move(row));
    }
    return rows;
}

std::vector<std::string> facts(const KernelCounts& k, std::uint64_t elements) {
    const Counts& t = k.total;
    std::vector<std::string> out;
    out.push_back(
        fmt::format("{} launch{}, grid {}x{}x{}, block {}x{}x{}, {} of shared memory a block",
                    k.launches, k.launches == 1 ? "" : "es", k.grid[0], k.grid[1], k.grid[2],
                    k.block[0], k.block[1], k.block[2], bytes_text(k.shared_bytes)));
    out.push_back(fmt::format(
        "{} warp instructions, {:.1f} of 32 lanes active, {} of {} branches diverge",
        short_number(t.warp_instructions), ratio(t.thread_instructions, t.warp_instructions),
        short_number(t.divergent_branches), short_number(t.branches)));
    const auto traffic = [&](const char* name, const Traffic& x) {
        if (x.requests == 0) return;
        out.push_back(fmt::format("global {}: {} asked for, {} moved, {:.1f} sectors a request",
                                  name, bytes_text(x.bytes), bytes_text(x.sectors * 32),
                                  ratio(x.sectors, x.requests)));
    };
    traffic("loads", t.global_load);
    traffic("stores", t.global_store);
    if (t.global_atomic.lanes + t.shared_atomic.lanes > 0) {
        std::string line = fmt::format(
            "atomics: {} on global and {} on shared memory, at most {} on one "
            "address",
            short_number(t.global_atomic.lanes), short_number(t.shared_atomic.lanes),
            short_number(k.most_atomics_on_one_address));
        if (elements != 0 && t.global_atomic.lanes != 0)
            line += fmt::format(", {:.3g} on global an element",
                                ratio(t.global_atomic.lanes, elements));
        out.push_back(std::move(line));
    }
    Traffic shared = t.shared_load;
    shared += t.shared_store;
    if (shared.requests != 0)
        out.push_back(
            fmt::format("shared memory: {} accesses by warps in {} passes, {} without conflicts",
                        short_number(shared.requests), short_number(shared.wavefronts),
                        short_number(shared.ideal)));
    if (t.barriers != 0)
        out.push_back(fmt::format("{} arrivals of warps at barriers", short_number(t.barriers)));
    out.push_back(fmt::format("occupancy: {} of {} warps a multiprocessor, limited by {}",
                              k.occupancy.resident_warps, k.occupancy.max_warps,
                              k.occupancy.limit));
    return out;
}

std::string paragraph(const std::vector<Advice>& advice) {
    // Lines with one fault share a sentence, where the costliest of them stands.
    struct Fault {
        std::string text;
        std::vector<int> lines;
    };
    std::vector<Fault> faults;
    for (const Advice& a : advice) {
        auto at = std::ranges::find(faults, a.text, &Fault::text);
        if (at == faults.end()) at = faults.insert(at, {a.text, {}});
        if (a.line != 0) at->lines.push_back(a.line);
    }
    std::string out;
    for (std::size_t n = 0; n < std::min<std::size_t>(faults.size(), 3); ++n) {
        Fault& fault = faults[n];
        std::ranges::sort(fault.lines);
        out += out.empty() ? "" : " ";
        out += fault.lines.empty()
                   ? sentence(fault.text)
                   : fmt::format("Line{} {}: {}.", fault.lines.size() == 1 ? "" : "s",
                                 fmt::join(fault.lines, ", "), fault.text);
    }
    return out.empty()
               ? "Nothing stands out: what is asked for is moved, and the lanes are at work."
               : out;
}

/// Files in which the kernel did something, if their text is known; the student's first.
std::vector<std::string> files_of(const KernelCounts& kernel, const ProfilePage& page) {
    std::vector<std::string> files;
    for (const auto& [line, counts] : kernel.lines)
        if (page.sources.contains(line.file) && std::ranges::find(files, line.file) == files.end())
            files.push_back(line.file);
    return files;
}

double elsewhere(const KernelCounts& kernel, const ProfilePage& page) {
    double sum = 0;
    for (const auto& [line, counts] : kernel.lines)
        if (!page.sources.contains(line.file)) sum += slots(counts);
    return sum / std::max(slots(kernel.total), 1.0);
}

std::string table(const ProfilePage& page) {
    std::string out;
    for (const ProfiledTask& task : page.tasks) {
        out += fmt::format("{} on {}\n", clean(task.title, 300, false), page.device);
        if (!task.problem.empty())
            out += fmt::format("The call did not end well: {}\n", clean(task.problem, 1000, false));
        if (task.kernels.empty()) out += "No kernel was launched.\n";
        for (const KernelCounts& kernel : task.kernels) {
            out += fmt::format("\nkernel {}\n", clean(kernel.kernel, 300, false));
            for (const std::string& fact : facts(kernel, task.elements)) out += "  " + fact + "\n";
            const std::vector<Advice> advice = advise(kernel);
            for (const std::string& file : files_of(kernel, page)) {
                out += fmt::format("\n{:>6}{:>9}{:>7}{:>8}{:>7}{:>7}\n", "work", "instr", "lanes",
                                   "sectors", "passes", "atomic");
                for (const Row& row : rows_of(kernel, file, page.sources.at(file), advice)) {
                    out += fmt::format("{} {}{:>4} {}\n", row.margin, row.notes.empty() ? ' ' : '!',
                                       row.line, clean(row.text, 200, false));
                }
            }
            if (const double rest = elsewhere(kernel, page); rest > 0.005)
                out += fmt::format("{:>5.1f}%  in headers that are not the submission's\n",
                                   100 * rest);
            out += '\n';
            for (const std::string& row : wrapped(paragraph(advice), 92)) out += "  " + row + "\n";
        }
        out += "\n";
    }
    out +=
        "work: share of issue slots, sectors and passes; instr: warp instructions; lanes: active "
        "ones\n"
        "of 32; sectors of 32 bytes a request (global); passes over the banks a request "
        "(shared).\n";
    return out;
}

std::string json(const ProfilePage& page) {
    using Json = nlohmann::ordered_json;
    Json tasks = Json::array();
    for (const ProfiledTask& task : page.tasks) {
        Json kernels = Json::parse(emulator::to_json({task.kernels, {}, {}})).at("kernels");
        for (std::size_t n = 0; n < task.kernels.size(); ++n) {
            Json advice = Json::array();
            for (const Advice& a : advise(task.kernels[n]))
                advice.push_back(
                    {{"file", a.file}, {"line", a.line}, {"text", a.text}, {"waste", a.waste}});
            kernels[n]["advice"] = std::move(advice);
        }
        tasks.push_back({{"title", task.title},
                         {"problem", task.problem},
                         {"elements", task.elements},
                         {"kernels", std::move(kernels)}});
    }
    return Json{{"schema_version", 1}, {"device", page.device}, {"tasks", std::move(tasks)}}.dump(
               2, ' ', false, Json::error_handler_t::replace) +
           "\n";
}

std::string html(const ProfilePage& page) {
    std::string out =
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>Profile</title>\n"
        "<style>body{font-family:sans-serif;margin:2em;max-width:75em}table{border-collapse:"
        "collapse}"
        "td,th{font-family:monospace;white-space:pre;padding:0 .6em;text-align:right}"
        "td.source,th.source{text-align:left}tr.note td{white-space:normal;text-align:left;"
        "font-family:sans-serif;color:#803000;padding-bottom:.4em}</style></head><body>\n";
    for (const ProfiledTask& task : page.tasks) {
        out += fmt::format("<h1>{}</h1>\n<p>{}</p>\n", escaped(task.title), escaped(page.device));
        if (!task.problem.empty())
            out +=
                fmt::format("<p><b>The call did not end well:</b> {}</p>\n", escaped(task.problem));
        for (const KernelCounts& kernel : task.kernels) {
            const std::vector<Advice> advice = advise(kernel);
            out += fmt::format("<h2>{}</h2>\n<ul>\n", escaped(kernel.kernel));
            for (const std::string& fact : facts(kernel, task.elements))
                out += fmt::format("<li>{}</li>\n", escaped(fact));
            out += fmt::format("</ul>\n<p><b>{}</b></p>\n", escaped(paragraph(advice)));
            for (const std::string& file : files_of(kernel, page)) {
                out += fmt::format(
                    "<h3>{}</h3>\n<table>\n<tr><th>work</th><th>instr</th><th>lanes</th>"
                    "<th>sectors</th><th>passes</th><th>atomic</th><th>line</th>"
                    "<th class=\"source\">source</th></tr>\n",
                    escaped(file));
                for (const Row& row : rows_of(kernel, file, page.sources.at(file), advice)) {
                    // The heat column: from white to red with the line's share of the work.
                    const int fade = 255 - static_cast<int>(std::min(1.0, 2 * row.share) * 150);
                    static constexpr std::array<std::size_t, 6> widths{6, 9, 7, 8, 7, 7};
                    out += "<tr>";
                    std::size_t at = 0;
                    for (std::size_t n = 0; n < widths.size(); ++n) {
                        const std::string cell = row.margin.substr(at, widths[n]);
                        at += widths[n];
                        out +=
                            n == 0 && row.share > 0
                                ? fmt::format("<td style=\"background:rgb(255,{0},{0})\">{1}</td>",
                                              fade, cell)
                                : fmt::format("<td>{}</td>", cell);
                    }
                    out += fmt::format("<td>{}</td><td class=\"source\">{}</td></tr>\n", row.line,
                                       escaped(row.text));
                    for (const std::string& note : row.notes)
                        out += fmt::format(
                            "<tr class=\"note\"><td colspan=\"7\"></td><td>{}</td></tr>\n",
                            escaped(note));
                }
                out += "</table>\n";
            }
        }
    }
    return out + "</body></html>\n";
}

}  // namespace

std::vector<Advice> advise(const KernelCounts& kernel) {
    std::vector<Advice> all;
    for (const auto& [line, counts] : kernel.lines) advise_line(line, counts, all);
    const Counts& t = kernel.total;
    const double read_again = number(t.global_load.bytes) - number(kernel.distinct_global_bytes);
    if (kernel.distinct_global_bytes != 0 &&
        number(t.global_load.bytes) > 2.5 * number(kernel.distinct_global_bytes))
        all.push_back(
            {"", 0,
             fmt::format("each byte of global memory is read {:.1f} times: keep what a block "
                         "shares in shared memory",
                         ratio(t.global_load.bytes, kernel.distinct_global_bytes)),
             read_again / sector_bytes});
    const double all_slots = slots(t);
    if (const double threads = ratio(kernel.threads, kernel.launches); threads < enough_threads)
        all.push_back(
            {"", 0,
             fmt::format("{} launched with {:.0f} thread{}, and a GPU is busy with tens of "
                         "thousands: give each thread less to do, and launch more of them",
                         kernel.launches == 1 ? "the kernel is" : "each time the kernel is",
                         threads, threads == 1 ? "" : "s"),
             all_slots * (1 - threads / enough_threads)});
    if (kernel.launches >= many_launches)
        all.push_back(
            {"", 0,
             fmt::format("the kernel is launched {} times, and every launch reads again from "
                         "global memory what the last one wrote: do more in one launch",
                         kernel.launches),
             all_slots * (1 - 1 / number(kernel.launches))});
    std::erase_if(all, [&](const Advice& a) { return a.waste < least_share * all_slots; });
    std::ranges::stable_sort(all, std::greater<>(), &Advice::waste);
    return all;
}

Result<std::string> write_profile(const ProfilePage& page, std::string_view format) {
    if (format == "table") return table(page);
    if (format == "json") return json(page);
    if (format == "html") return html(page);
    return Error{.kind = ErrorKind::usage,
                 .message = fmt::format("unknown format `{}`", format),
                 .remedy = "give table, json or html"};
}

}  // namespace cugrade::report

// What is wrong with each failed task: cases that fail alike are shown once, the worst first.
#include "report/table_failures.hpp"

#include <algorithm>
#include <array>
#include <map>

#include <fmt/format.h>

#include "report/explained.hpp"
#include "report/places.hpp"

namespace cugrade::report {
namespace {

constexpr std::size_t max_details = 3;  // failures shown in full per task

/// For an output with one element, the message says all that a table would.
bool says_all(const CaseOutcome& c) {
    return c.element_count == 1 && c.mismatches.size() == 1 &&
           c.message.find(c.mismatches[0].expected) != std::string::npos &&
           c.message.find(c.mismatches[0].got) != std::string::npos;
}

void write_mismatches(Page& page, const CaseOutcome& c, int indent) {
    if (says_all(c)) return;
    if (!c.mismatches.empty()) {
        std::array<std::vector<std::string>, 3> cells{{{"element"}, {"expected"}, {"got"}}};
        for (const auto& m : c.mismatches) {
            cells[0].push_back(element_text(m));
            cells[1].push_back(m.expected);
            cells[2].push_back(m.got);
        }
        std::array<int, 3> widths{};
        for (std::size_t i = 0; i < 3; ++i)
            for (const auto& cell : cells[i]) widths[i] = std::max(widths[i], columns(cell));
        const int most = (page.width - indent - 2 * 3) / 3;
        for (std::size_t row = 0; row < cells[0].size(); ++row) {
            std::vector<Piece> pieces{{repeated(static_cast<std::size_t>(indent))}};
            for (std::size_t i = 0; i < 3; ++i) {
                // The last column takes what is left; wide values are cut only if all do not fit.
                const bool tight = indent + widths[0] + widths[1] + widths[2] + 6 > page.width;
                const int limit = tight ? std::min(widths[i], most) : widths[i];
                pieces.push_back(
                    {(i > 0 ? "   " : "") + padded(page.cut(cells[i][row], limit), limit, i > 0),
                     row == 0 ? Tone::dim : Tone::plain});
            }
            page.line(pieces);
        }
    }
    const auto total = std::max(c.element_count, c.mismatch_count);
    const auto count = fmt::format("{} of {}", c.mismatch_count, total);
    if (c.mismatch_count > 0 && c.message.find(count) == std::string::npos)
        page.paragraph(indent, 2,
                       fmt::format("{} element{} wrong", count,
                                   total == 1              ? " is"
                                   : c.mismatch_count == 1 ? "s is"
                                                           : "s are"),
                       Tone::dim);
}

/// Cases of one task that failed in the same way.
struct Failure {
    const CaseOutcome* first;
    std::vector<int> ids;
    std::string pattern;  ///< only if all cases share it; one case's diagnosis may be chance
    bool told = false;    ///< one before it has the same verdict and the same pattern
};

std::string places(const CheckerFinding& finding) {
    if (!finding.location) return {};
    std::string text = "at " + place_text(*finding.location);
    if (finding.second_location) text += " and " + place_text(*finding.second_location);
    return text;
}

bool alike(const CaseOutcome& a, const CaseOutcome& b) {
    if (a.verdict != b.verdict || a.message != b.message ||
        (a.location ? place_text(*a.location) : "") != (b.location ? place_text(*b.location) : ""))
        return false;
    // A checker's finding explains all wrong elements.
    if (!a.findings.empty() && !b.findings.empty()) return true;
    return a.pattern == b.pattern && (a.mismatches.empty() || b.mismatches.empty());
}

void write_failure(Page& page, const Failure& failure, std::size_t case_count) {
    const auto& c = *failure.first;
    auto heading =
        failure.ids.size() == case_count && case_count > 1
            ? std::string("all cases")
            : fmt::format("case{} {}", failure.ids.size() > 1 ? "s" : "", case_ranges(failure.ids));
    if (failure.ids.size() == 1) {
        if (c.visibility == Visibility::hidden) heading += " (hidden)";
        if (!c.description.empty()) heading += ": " + c.description;
    }
    page.paragraph(2, 4, heading, Tone::strong);
    if (!c.message.empty()) page.paragraph(4, 2, c.message);
    write_mismatches(page, c, 6);
    if (!failure.pattern.empty())
        page.paragraph(4, 2, std::string(page.glyphs.arrow) + failure.pattern, Tone::unsure);
    // The place in the source. If a checker decided the verdict, its finding has the place.
    const auto decisive = std::ranges::find_if(
        c.findings, [&c](const CheckerFinding& f) { return !f.warning && f.message == c.message; });
    if (decisive != c.findings.end())
        page.paragraph(4, 2, places(*decisive));
    else if (c.location)
        page.paragraph(4, 2, "at " + place_text(*c.location));
    for (auto f = c.findings.begin(); f != c.findings.end(); ++f) {
        if (f->warning || f == decisive) continue;
        page.paragraph(4, 2, "also: " + f->message);
        page.paragraph(6, 2, places(*f));
    }
}

/// The failures of one task, or of several that failed alike in every case, as when nothing
/// compiles.
struct Failures {
    std::string tasks;  ///< "sum, max"
    std::size_t case_count = 0;
    /// The worst verdict first, then messages not shown yet, then in the order of the cases.
    std::vector<Failure> list;
    std::map<std::string, std::vector<int>> skipped;  ///< by reason, except for a missing GPU

    [[nodiscard]] bool whole() const {
        return list.size() == 1 && list.front().ids.size() == case_count;
    }
};

Failures failures_of(const TaskReport& task, bool details) {
    Failures out{
        .tasks = task.name, .case_count = task.outcome.cases.size(), .list = {}, .skipped = {}};
    for (const auto& c : task.outcome.cases) {
        if (c.verdict == Verdict::accepted) continue;
        if (!details && cause_of(task.outcome, c) != nullptr) continue;
        if (c.verdict == Verdict::skipped) {
            if (c.not_judged.why != NotJudged::Why::needs_gpu)
                out.skipped[c.message].push_back(c.id);
            continue;
        }
        const auto same =
            std::ranges::find_if(out.list, [&](const Failure& f) { return alike(*f.first, c); });
        if (same == out.list.end())
            out.list.push_back({.first = &c, .ids = {c.id}, .pattern = c.pattern});
        else {
            same->ids.push_back(c.id);
            if (same->pattern != c.pattern) same->pattern.clear();
        }
    }
    for (auto f = out.list.begin(); f != out.list.end(); ++f)
        f->told = !f->pattern.empty() && std::any_of(out.list.begin(), f, [&](const Failure& g) {
            return g.first->verdict == f->first->verdict && g.pattern == f->pattern;
        });
    std::ranges::stable_sort(out.list, [](const Failure& a, const Failure& b) {
        return std::pair(a.first->verdict, !a.told) > std::pair(b.first->verdict, !b.told);
    });
    return out;
}

void write_failures(Page& page, const Failures& failures) {
    const auto& list = failures.list;
    std::size_t shown = 0;
    for (std::size_t i = 0; i < list.size();) {
        const auto verdict = list[i].first->verdict;
        std::size_t end = i;
        while (end < list.size() && list[end].first->verdict == verdict) ++end;
        page.blank();
        const auto heading =
            fmt::format("{} {}: {}", mark(page, verdict), failures.tasks, name(verdict));
        const auto explanation = fmt::format(", {}", meaning(verdict));
        if (columns(heading + explanation) <= page.width) {
            page.line({{heading, tone_of(verdict)}, {explanation, Tone::dim}});
        } else {
            page.paragraph(0, 2, heading, tone_of(verdict));
            page.paragraph(2, 0, meaning(verdict), Tone::dim);
        }
        std::size_t left = 0;
        for (std::size_t k = i; k < end; ++k) {
            if (k == i || shown < max_details) {
                write_failure(page, list[k], failures.case_count);
                ++shown;
            } else {
                left += list[k].ids.size();
            }
        }
        if (left > 0)
            page.line({{fmt::format("  and {} more case{} with the same verdict", left,
                                    left == 1 ? "" : "s"),
                        Tone::dim}});
        i = end;
    }
    if (list.empty() && !failures.skipped.empty()) {
        page.blank();
        page.line({{fmt::format("{} {}: not judged", mark(page, Verdict::skipped), failures.tasks),
                    tone_of(Verdict::skipped)}});
    }
    for (const auto& [why, ids] : failures.skipped)
        page.paragraph(2, 4,
                       fmt::format("skipped case{} {}{}{}", ids.size() > 1 ? "s" : "",
                                   case_ranges(ids), why.empty() ? "" : ": ", why),
                       Tone::dim);
}

}  // namespace

void write_failures(Page& page, const Report& report, bool details) {
    std::vector<Failures> all;
    for (const auto& task : report.tasks) {
        auto failures = failures_of(task, details);
        const auto same = std::ranges::find_if(all, [&](const Failures& f) {
            return f.whole() && failures.whole() &&
                   alike(*f.list.front().first, *failures.list.front().first);
        });
        if (same == all.end())
            all.push_back(std::move(failures));
        else
            same->tasks += ", " + task.name;
    }
    for (const auto& failures : all) write_failures(page, failures);
}

void write_warnings(Page& page, const Report& report, bool details) {
    bool any = false;
    for (const auto& task : report.tasks) {
        std::vector<std::string> said;
        for (const auto& c : task.outcome.cases)
            for (const auto& f : c.findings) {
                const std::string where = f.kind + places(f);
                if (!f.warning || std::ranges::find(said, where) != said.end()) continue;
                if (!details && is_explained(task.outcome, c, f)) continue;
                said.push_back(where);
                if (!any) {
                    page.blank();
                    page.line({{"warnings", Tone::strong}, {", which cost no points", Tone::dim}});
                }
                any = true;
                page.paragraph(0, 2, fmt::format("{}: {}", task.name, f.message), Tone::unsure);
                page.paragraph(2, 2, places(f));
            }
    }
}

}  // namespace cugrade::report

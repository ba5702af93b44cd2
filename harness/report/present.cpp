// A report holds text that a student chose: names of files, messages of the compiler, values.
// Before any writer sees it, what could harm a terminal, a log or another program's parser is taken
// out.

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "report/formats.hpp"

namespace cugrade::report {
namespace {

constexpr std::size_t max_text = 2000;
constexpr std::size_t max_compile_output = 64 << 10;
constexpr std::size_t max_mismatches_shown = 20;
constexpr std::size_t max_findings_shown = 20;
constexpr std::size_t max_samples = 10000;
constexpr std::size_t max_notes = 100;
constexpr std::size_t cut_slack = 64;  // what says that a text was cut fits into it

bool is_dropped(char32_t c) {
    return c < 0x20 || (c >= 0x7F && c < 0xA0)  // C0, delete, C1
           || (c >= 0x202A && c <= 0x202E)      // embeddings and overrides of direction
           || (c >= 0x2066 && c <= 0x2069)      // isolates
           || c == 0x200E || c == 0x200F || c == 0x2028 || c == 0x2029 || c == 0xFEFF;
}

void line(std::string& text) { text = clean(text, max_text, false); }

template <class T>
void at_most(std::vector<T>& items, std::size_t count) {
    if (items.size() > count) items.resize(count);
}

}  // namespace

std::optional<char32_t> next_code_point(std::string_view text, std::size_t& at) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const unsigned first = byte(at);
    if (first < 0x80) return static_cast<char32_t>(text[at++]);
    const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
    if (first < 0xC2 || first > 0xF4 || at + length > text.size()) {
        ++at;
        return std::nullopt;
    }
    char32_t code = first & (0x7FU >> length);
    for (std::size_t i = 1; i < length; ++i) {
        if ((byte(at + i) & 0xC0U) != 0x80) {
            ++at;
            return std::nullopt;
        }
        code = code << 6 | (byte(at + i) & 0x3FU);
    }
    const bool overlong = code < (length == 4 ? 0x10000U : length == 3 ? 0x800U : 0x80U);
    if (overlong || code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF)) {
        ++at;
        return std::nullopt;
    }
    at += length;
    return code;
}

std::string clean(std::string_view text, std::size_t max_bytes, bool lines) {
    std::string out;
    std::size_t at = 0;
    while (at < text.size() && out.size() <= max_bytes + cut_slack) {
        const auto begin = at;
        const auto code = next_code_point(text, at);
        if (!code)
            out += "\uFFFD";
        else if (*code == '\n' || *code == '\t')
            out += lines ? static_cast<char>(*code) : ' ';
        else if (!is_dropped(*code))
            out += text.substr(begin, at - begin);
    }
    const bool several = out.find('\n') != std::string::npos;
    if (several) out.erase(out.find_last_not_of('\n') + 1);
    if (out.size() > max_bytes + cut_slack) {
        std::size_t cut = max_bytes;
        while (cut > 0 && (static_cast<unsigned char>(out[cut]) & 0xC0U) == 0x80) --cut;
        const auto more = out.size() - cut + text.size() - at;
        out.resize(cut);
        out += fmt::format(" ... [{} more bytes]", more);
    }
    // Several lines end with exactly one line end, which is what a YAML block gives.
    if (several && out.find('\n') != std::string::npos) out += '\n';
    return out;
}

Report presentable(Report report) {
    Provenance& provenance = report.provenance;
    for (auto* text :
         {&report.assignment, &report.assignment_title, &report.submission_file,
          &report.submission_sha256, &report.student, &provenance.backend, &provenance.device,
          &provenance.driver, &provenance.toolkit, &provenance.cugrade_version, &provenance.started,
          &report.policy_sha256, &report.replay})
        line(*text);
    report.compile_output = clean(report.compile_output, max_compile_output, true);
    at_most(report.notes, max_notes);
    for (auto& note : report.notes) line(note);
    for (auto& phase : report.phases) line(phase.name);
    for (auto& task : report.tasks) {
        line(task.name);
        line(task.title);
        line(task.outcome.timing_note);
        task.outcome.name = task.name;
        if (task.outcome.timing) at_most(task.outcome.timing->samples, max_samples);
        if (task.technique)
            for (auto& measure : task.technique->measures) {
                line(measure.metric);
                if (measure.location) line(measure.location->file);
            }
        for (auto& c : task.outcome.cases) {
            if (c.visibility == Visibility::hidden) {
                c.mismatches.clear();
                c.seed = 0;
            }
            for (auto* text : {&c.message, &c.pattern, &c.description, &c.data_sha256}) line(*text);
            if (c.location) line(c.location->file);
            at_most(c.findings, max_findings_shown);
            for (auto& f : c.findings) {
                for (auto* text : {&f.kind, &f.message}) line(*text);
                for (auto* location : {&f.location, &f.second_location})
                    if (*location) line((*location)->file);
            }
            at_most(c.mismatches, max_mismatches_shown);
            for (auto& m : c.mismatches)
                for (auto* text : {&m.argument, &m.expected, &m.got}) line(*text);
        }
    }
    return report;
}

}  // namespace cugrade::report

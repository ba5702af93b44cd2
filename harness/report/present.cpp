// A report holds text that a student chose: names of files, messages of the compiler, values.
// Everything in it that could harm a terminal, a log or another program's parser is removed before
// any writer sees it.

#include <algorithm>

#include "core/printable.hpp"
#include "core/rounding.hpp"
#include "report/formats.hpp"
#include "report/not_judged.hpp"
#include "report/task_text.hpp"

namespace cugrade::report {
namespace {

constexpr std::size_t max_text = 2000;
constexpr std::size_t max_compile_output = 64 << 10;
constexpr std::size_t max_mismatches_shown = 20;
constexpr std::size_t max_findings_shown = 20;
constexpr std::size_t max_causes_shown = 10;
constexpr std::size_t max_explained = 100;
constexpr std::size_t max_excerpt_lines = 40;
constexpr std::size_t max_samples = 10000;
constexpr std::size_t max_notes = 100;

void line(std::string& text) { text = clean(text, max_text, false); }

/// Of numbers that were counted on secret data.
constexpr int digits = 3;

void round(TimingOutcome& timing, double next_tier) {
    if (timing.basis != TimingOutcome::Basis::modelled) return;
    for (double* value : {&timing.speedup, &timing.low, &timing.high})
        *value = rounded_below(*value, next_tier, digits);
    timing.submission_us = rounded(timing.submission_us, digits);
}

template <class T>
void at_most(std::vector<T>& items, std::size_t count) {
    if (items.size() > count) items.resize(count);
}

/// An instance is taken from one of the cause's cases.
bool all_hidden(const Cause& cause, const std::vector<CaseOutcome>& cases) {
    return std::ranges::none_of(cases, [&](const CaseOutcome& one) {
        return one.visibility == Visibility::open && std::ranges::count(cause.cases, one.id) > 0;
    });
}

void present(Cause& cause, const std::vector<CaseOutcome>& cases) {
    if (all_hidden(cause, cases)) cause.instance.clear();
    for (auto* text : {&cause.id, &cause.location.file, &cause.sentence, &cause.instance,
                       &cause.advice, &cause.evidence})
        line(*text);
    if (cause.second) line(cause.second->file);
    at_most(cause.explains, max_explained);
    for (auto& kind : cause.explains) line(kind);
    at_most(cause.excerpt, max_excerpt_lines);
    for (auto& shown : cause.excerpt)
        for (auto* text : {&shown.file, &shown.text}) line(*text);
}

}  // namespace

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
    if (report.seal) {
        ReportSeal& seal = *report.seal;
        for (auto* text : {&seal.key_id, &seal.mac, &seal.public_key, &seal.signature}) line(*text);
        for (auto& section : seal.sections)
            for (auto* text : {&section.name, &section.sha256}) line(*text);
    }
    for (auto& task : report.tasks) {
        line(task.name);
        line(task.title);
        line(task.outcome.untimed.detail);
        task.outcome.name = task.name;
        if (task.outcome.timing) {
            at_most(task.outcome.timing->samples, max_samples);
            round(*task.outcome.timing, task.next_tier);
        }
        if (task.technique)
            for (auto& measure : task.technique->measures) {
                line(measure.metric);
                measure.value = rounded_beside(measure.value, measure.max, digits);
                if (measure.location) line(measure.location->file);
            }
        at_most(task.outcome.causes, max_causes_shown);
        for (auto& cause : task.outcome.causes) present(cause, task.outcome.cases);
        for (auto& c : task.outcome.cases) {
            if (c.visibility == Visibility::hidden) {
                c.mismatches.clear();
                c.seed = 0;
                c.seconds = rounded(c.seconds, 1);
            }
            line(c.not_judged.detail);
            if (c.message.empty()) c.message = text(c.not_judged);
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

std::string markup(std::string_view text) {
    std::string out;
    for (const char c : text) switch (c) {
            case '&': out += "&amp;"; break;
            case '<': out += "&lt;"; break;
            case '>': out += "&gt;"; break;
            case '"': out += "&quot;"; break;
            case '\n': out += "&#10;"; break;
            default: out += c;
        }
    return out;
}

}  // namespace cugrade::report

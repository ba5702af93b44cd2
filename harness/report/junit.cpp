// JUnit's XML, as Jenkins and GitLab read it: a suite per task, a test per case. Nobody owns the
// format; this keeps to what Jenkins' junit-10.xsd allows.
#include <fmt/format.h>

#include "report/explained.hpp"
#include "report/formats.hpp"
#include "report/places.hpp"

namespace cugrade::report {
namespace {

struct Tally {
    std::size_t tests = 0, failures = 0, errors = 0, skipped = 0;
    double seconds = 0;
    void operator+=(const Tally& other) {
        tests += other.tests;
        failures += other.failures;
        errors += other.errors;
        skipped += other.skipped;
        seconds += other.seconds;
    }
    [[nodiscard]] std::string attributes() const {
        return fmt::format(
            "tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\" time=\"{:.3f}\"", tests,
            failures, errors, skipped, seconds);
    }
};

/// The first line of a failure: its cause, where that is known.
std::string headline(const TaskOutcome& task, const CaseOutcome& c) {
    if (const Cause* cause = cause_of(task, c)) return cause->sentence;
    return c.message.empty() ? std::string(meaning(c.verdict)) : c.message;
}

std::string details(const TaskOutcome& task, const CaseOutcome& c) {
    std::string out;
    const auto add = [&out](const std::string& text) { out += text.empty() ? "" : text + "\n"; };
    const Cause* cause = cause_of(task, c);
    add(cause != nullptr ? text_of(*cause) : c.message);
    if (cause != nullptr)
        add(place_text(cause->location));
    else
        add(c.pattern);
    if (cause == nullptr && c.location)
        add(fmt::format("{}:{}", c.location->file, c.location->line));
    for (const Mismatch& m : c.mismatches)
        add(fmt::format("{}[{}]: expected {}, got {}", m.argument, m.index, m.expected, m.got));
    for (const CheckerFinding& finding : c.findings)
        if (!is_explained(task, c, finding)) add(finding.message);
    return out;
}

std::string suite(const Report& report, const TaskReport& task, Tally& tally) {
    std::string tests;
    for (const CaseOutcome& c : task.outcome.cases) {
        ++tally.tests;
        tally.seconds += c.seconds;
        const std::string what = c.description.empty() ? "" : ": " + c.description;
        tests += fmt::format("    <testcase classname=\"{}.{}\" name=\"{}\" time=\"{:.3f}\"",
                             markup(report.assignment), markup(task.name),
                             markup(fmt::format("case {}{}", c.id, what)), c.seconds);
        const char* element = nullptr;
        if (c.verdict == Verdict::harness_error) {
            ++tally.errors;
            element = "error";
        } else if (c.verdict == Verdict::skipped) {
            ++tally.skipped;
            tests += fmt::format(">\n      <skipped message=\"{}\"/>\n    </testcase>\n",
                                 markup(c.message));
            continue;
        } else if (c.verdict != Verdict::accepted) {
            ++tally.failures;
            element = "failure";
        }
        if (element == nullptr)
            tests += "/>\n";
        else
            tests += fmt::format(
                ">\n      <{0} type=\"{1}\" message=\"{2}\">{3}</{0}>\n    </testcase>\n", element,
                name(c.verdict), markup(headline(task.outcome, c)),
                markup(details(task.outcome, c)));
    }
    return fmt::format("  <testsuite name=\"{}.{}\" {}>\n{}  </testsuite>\n",
                       markup(report.assignment), markup(task.name), tally.attributes(), tests);
}

}  // namespace

std::string write_junit(const Report& raw, const Style&) {
    const Report report = presentable(raw);
    Tally all;
    std::string suites;
    for (const TaskReport& task : report.tasks) {
        Tally tally;
        suites += suite(report, task, tally);
        all += tally;
    }
    return fmt::format(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"{}\" "
        "{}>\n{}</testsuites>\n",
        markup(report.assignment), all.attributes(), suites);
}

}  // namespace cugrade::report

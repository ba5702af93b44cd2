#include "report/hints.hpp"

namespace cugrade::report {
namespace {

/// Without these messages nobody could hand in anything that runs, or know what went wrong here.
bool keeps_message(Verdict verdict) {
    return !is_judged(verdict) || verdict == Verdict::compile_error ||
           verdict == Verdict::function_missing || verdict == Verdict::forbidden ||
           verdict == Verdict::suspicious;
}

/// Seeds and hashes stay: a report is replayed and appealed against with them.
void leave_verdict(CaseOutcome& c) {
    if (!keeps_message(c.verdict)) {
        c.message.clear();
        c.location.reset();
    }
    c.pattern.clear();
    c.description.clear();
    c.mismatches.clear();
    c.mismatch_count = c.element_count = 0;
    c.findings.clear();
}

}  // namespace

Report for_student(Report report, Hints hints) {
    if (hints == Hints::verdict)
        report.notes.emplace_back("this course's reports tell verdicts and points only");
    if (hints == Hints::facts)
        report.notes.emplace_back("this course's reports tell what is wrong, and not why");
    for (TaskReport& task : report.tasks) {
        if (hints < Hints::cause) task.outcome.causes.clear();
        if (hints < Hints::proof)
            for (Cause& cause : task.outcome.causes) {
                cause.proof = Proof::untold;
                cause.evidence.clear();
            }
        if (hints >= Hints::facts) continue;
        for (CaseOutcome& c : task.outcome.cases) leave_verdict(c);
        if (task.technique) task.technique->measures.clear();
    }
    return report;
}

}  // namespace cugrade::report

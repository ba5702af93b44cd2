#include "judging/symptoms.hpp"

#include <algorithm>

namespace cugrade {

Symptoms::Symptoms(const TaskOutcome& outcome) {
    const auto suggest = [this](const std::string& id) {
        if (!id.empty()) ++suggested[id];
    };
    for (const CaseOutcome& one : outcome.cases) {
        if (one.verdict == Verdict::accepted || one.verdict == Verdict::skipped) continue;
        failing.push_back(&one);
        suggest(one.suggested_cause);
        verdicts.insert(one.verdict);
        look_for_shared_array(one.message);
        add(one.location);
        for (const CheckerFinding& finding : one.findings) add(finding);
    }
}

void Symptoms::add(const std::optional<SourceLocation>& location) {
    if (location && location->line > 0) places.emplace(location->file, location->line);
}

void Symptoms::look_for_shared_array(std::string_view message) {
    leaves_shared_array |=
        message.find("past the end of the block's shared memory") != std::string_view::npos;
}

void Symptoms::add(const CheckerFinding& finding) {
    if (finding.warning) return;
    kinds.insert(finding.kind);
    look_for_shared_array(finding.message);
    add(finding.location);
    add(finding.second_location);
}

void Symptoms::add(int case_id, std::vector<CheckerFinding> findings) {
    const auto of = std::ranges::find(failing, case_id, &CaseOutcome::id);
    if (of == failing.end()) return;
    for (const CheckerFinding& finding : findings) add(finding);
    watched = Watched{*of, std::move(findings)};
}

const std::vector<CheckerFinding>& Symptoms::findings_of(const CaseOutcome& one) const {
    // Cases that end in the same place, as the one that was watched does, end for the same reason.
    if (one.findings.empty() && watched && one.verdict == watched->of->verdict &&
        one.location == watched->of->location)
        return watched->findings;
    return one.findings;
}

bool Symptoms::suggest(std::string_view id) const {
    const auto found = suggested.find(id);
    if (found == suggested.end()) return false;
    // A pattern of one case may be chance.
    return found->second * 5 >= failing.size() && (found->second > 1 || failing.size() <= 2);
}

bool Symptoms::is_at(const SourceLocation& location) const {
    return places.contains({location.file, location.line});
}

}  // namespace cugrade

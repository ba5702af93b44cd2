// SARIF 2.1.0 (OASIS): what GitHub's code scanning, GitLab and editors show at the lines of a
// source.
#include <set>

#include <fmt/format.h>

#include "report/annotations.hpp"
#include "report/formats.hpp"
#include "report/html.hpp"

namespace cugrade::report {
namespace {

using Json = nlohmann::ordered_json;

Json place(const std::string& path, const std::optional<SourceLocation>& location) {
    Json out{{"physicalLocation", {{"artifactLocation", {{"uri", uri(path)}}}}}};
    if (location && location->line > 0) {
        Json region{{"startLine", location->line}};
        if (location->column > 0) region["startColumn"] = location->column;
        out["physicalLocation"]["region"] = std::move(region);
    }
    return out;
}

}  // namespace

std::string write_sarif(const Report& raw, const Style& style) {
    const Report report = presentable(raw);
    auto rules = Json::array();
    auto results = Json::array();
    std::set<std::string> known;
    for (const Annotation& one : annotations_of(report)) {
        if (known.insert(one.rule).second) {
            Json rule{{"id", one.rule}};
            if (const auto verdict = verdict_from_name(one.rule))
                rule["shortDescription"] = {{"text", meaning(*verdict)}};
            if (const CauseKind* kind = cause_kind(one.rule))
                rule["shortDescription"] = {{"text", kind->title}};
            rules.push_back(std::move(rule));
        }
        Json result{{"ruleId", one.rule},
                    {"level", one.level == Annotation::Level::error ? "error" : "warning"},
                    {"message", {{"text", sentence(one)}}}};
        const auto place_of = [&](const std::optional<SourceLocation>& location) {
            return Json::array({place(path_of(style, report, location), location)});
        };
        result["locations"] = place_of(one.location);
        if (one.other) result["relatedLocations"] = place_of(one.other);
        result["properties"] = {{"task", one.task}, {"cases", one.cases}};
        results.push_back(std::move(result));
    }
    const Json out{
        {"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
        {"version", "2.1.0"},
        {"runs", Json::array({{{"tool",
                                {{"driver",
                                  {{"name", "cugrade"},
                                   {"semanticVersion", report.provenance.cugrade_version},
                                   {"rules", std::move(rules)}}}}},
                               {"columnKind", "utf16CodeUnits"},
                               {"results", std::move(results)}}})}};
    return out.dump(2) + "\n";
}

}  // namespace cugrade::report

// GitLab's Code Quality report:
// https://docs.gitlab.com/ci/testing/code_quality/#code-quality-report-format
#include <algorithm>

#include "datasets/seeds.hpp"
#include "report/annotations.hpp"
#include "report/formats.hpp"

namespace cugrade::report {

std::string write_gitlab(const Report& raw, const Style& style) {
    const Report report = presentable(raw);
    auto issues = nlohmann::ordered_json::array();
    for (const Annotation& one : annotations_of(report)) {
        const std::string path = path_of(style, report, one.location);
        const int line = one.location ? one.location->line : 1;  // each needs one
        issues.push_back(
            {{"description", sentence(one)},
             {"check_name", one.rule},
             // The same defect in the next commit has the same: no line, which moves.
             {"fingerprint", datasets::sha256(one.task + '\n' + one.rule + '\n' + path + '\n' +
                                              std::to_string(issues.size()))},
             {"severity", one.level == Annotation::Level::error ? "major" : "minor"},
             {"location", {{"path", path}, {"lines", {{"begin", std::max(line, 1)}}}}}});
    }
    return issues.dump(2) + "\n";
}

}  // namespace cugrade::report

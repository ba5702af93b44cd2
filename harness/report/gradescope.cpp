// Gradescope's results.json: https://gradescope-autograders.readthedocs.io/en/latest/specs/
#include <algorithm>
#include <cmath>

#include "report/formats.hpp"
#include "report/graders.hpp"

namespace cugrade::report {

namespace {

/// A report may have been read from a file, with any number in it.
std::int64_t whole_seconds(double seconds) {
    if (!(seconds > 0)) return 0;
    return static_cast<std::int64_t>(std::ceil(std::min(seconds, 1e9)));
}

}  // namespace

std::string write_gradescope(const Report& raw, const Style&) {
    const Report report = presentable(raw);
    auto tests = nlohmann::ordered_json::array();
    auto leaderboard = nlohmann::ordered_json::array();
    for (const Part& part : parts_of(report)) {
        nlohmann::ordered_json test{{"name", part.name}};
        // Points that nobody could judge here are neither earned nor lost: a test without a score.
        if (part.score.judged > 0) {
            test["score"] = part.score.earned;
            test["max_score"] = part.score.judged;
            test["status"] = part.score.earned >= part.score.judged - 1e-9 ? "passed" : "failed";
        }
        test["output"] = part.text;
        tests.push_back(std::move(test));
    }
    for (const TaskReport& task : report.tasks)
        if (task.outcome.timing && std::isfinite(task.outcome.timing->speedup))
            leaderboard.push_back(
                {{"name", task.name + " speedup"}, {"value", task.outcome.timing->speedup}});
    nlohmann::ordered_json out{{"score", report.score.earned},
                               {"execution_time", whole_seconds(report.seconds)},
                               {"output_format", "text"},
                               {"output", write_table(raw, {})},
                               {"tests", std::move(tests)}};
    if (!leaderboard.empty()) out["leaderboard"] = std::move(leaderboard);
    out["extra_data"] = {{"verdict", name(report.verdict)},
                         {"judged", report.score.judged},
                         {"possible", report.score.possible},
                         {"cugrade", report.provenance.cugrade_version},
                         {"submission_sha256", report.submission_sha256}};
    return out.dump(2) + "\n";
}

}  // namespace cugrade::report

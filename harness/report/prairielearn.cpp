// PrairieLearn's results.json of an external grader: https://docs.prairielearn.com/externalGrading/
#include "report/formats.hpp"
#include "report/graders.hpp"

namespace cugrade::report {

std::string write_prairielearn(const Report& raw, const Style&) {
    const Report report = presentable(raw);
    // Our own failure must not cost an attempt.
    if (report.verdict == Verdict::harness_error || !(report.score.judged > 0))
        return nlohmann::ordered_json{
                   {"gradable", false},
                   {"format_errors",
                    {score_line(report) + ". This attempt is not counted; tell your instructor."}}}
                   .dump(2) +
               "\n";
    auto tests = nlohmann::ordered_json::array();
    for (const Part& part : parts_of(report)) {
        if (!(part.score.judged > 0)) continue;  // neither earned nor lost
        tests.push_back({{"name", part.name},
                         {"points", part.score.earned},
                         {"max_points", part.score.judged},
                         {"output", part.text}});
    }
    const nlohmann::ordered_json out{{"gradable", true},
                                     {"score", report.score.earned / report.score.judged},
                                     {"message", score_line(report)},
                                     {"output", write_table(raw, {})},
                                     {"tests", std::move(tests)}};
    return out.dump(2) + "\n";
}

}  // namespace cugrade::report

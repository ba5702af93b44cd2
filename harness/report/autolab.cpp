// For Autolab, whose autograder reads the scores from the last line of the output and shows the
// rest as feedback: https://docs.autolabproject.com/lab/ ("Writing Autograders"). A problem per
// task.
#include "report/formats.hpp"

namespace cugrade::report {

std::string write_autolab(const Report& raw, const Style&) {
    const Report report = presentable(raw);
    nlohmann::ordered_json scores = nlohmann::ordered_json::object();
    for (const TaskReport& task : report.tasks) scores[task.name] = task.score.earned;
    return write_table(raw, {}) + nlohmann::ordered_json{{"scores", std::move(scores)}}.dump() +
           "\n";
}

}  // namespace cugrade::report

#include "timing/event_timing.hpp"

#include <algorithm>

namespace cugrade {
namespace {

constexpr std::uint32_t warmups = 2;
constexpr std::uint32_t most_repeats = 31;
constexpr std::uint32_t fewest_repeats = 5;
constexpr double target_us = 400'000;  ///< of timed calls in one runner

}  // namespace

Result<EventTimes> time_by_events(Session& session, const AssignmentSpec& assignment,
                                  const TaskSpec& task, const CaseData& data,
                                  const std::vector<Expected>& expected, const Limits& limits) {
    const auto poison = poison_for(task, data);
    if (!poison) return poison.error();
    auto prepared = prepare(session, task, data, limits, *poison);
    if (!prepared) return prepared.error();
    prepared->request.timed = true;
    prepared->request.warmups = 1;
    auto probe = session.call(prepared->request);
    if (!probe) return probe.error();
    if (probe->verdict != Verdict::accepted) return EventTimes{.call = std::move(*probe)};
    const double once = std::max(probe->event_us.front(), 1.0);
    prepared->request.warmups = once * warmups < target_us ? warmups : 0;
    prepared->request.repeats = static_cast<std::uint32_t>(
        std::clamp(target_us / once, double{fewest_repeats}, double{most_repeats}));
    auto call = session.call(prepared->request);
    if (!call) return call.error();
    EventTimes out{.call = std::move(*call)};
    if (!out.accepted()) return out;
    Outputs outputs;
    auto judged = judge(session, task, assignment, data, expected, *poison, *prepared, outputs);
    if (!judged) return judged.error();
    if (judged->verdict != Verdict::accepted) {
        out.call.verdict = judged->verdict;
        out.call.message = judged->message;
    }
    return out;
}

}  // namespace cugrade

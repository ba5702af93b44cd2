#include "judging/task_profile.hpp"

#include <map>

#include <fmt/format.h>

#include "backend/emulator/emulator_session.hpp"
#include "build/build.hpp"
#include "judging/case.hpp"

namespace cugrade {
namespace {

struct Chosen {
    const CaseSpec* spec = nullptr;
    CaseData data;
};

Result<Chosen> choose_case(const AssignmentSpec& assignment, const TaskSpec& task,
                           const GradeOptions& options, std::optional<int> id) {
    Chosen chosen;
    for (const CaseSpec& spec : task.cases) {
        if (id ? spec.id != *id : spec.needs_gpu || spec.visibility == Visibility::hidden) continue;
        auto data = make_case(assignment, task, spec, options);
        if (!data) return data.error();
        if (chosen.spec == nullptr ||
            largest_argument(task, spec) > largest_argument(task, *chosen.spec))
            chosen = {&spec, std::move(*data)};
    }
    if (chosen.spec == nullptr)
        return Error{
            .kind = ErrorKind::usage,
            .message = id ? fmt::format("{}/{} has no case {}", assignment.id, task.name, *id)
                          : fmt::format("{}/{} has no public case for the emulated GPU",
                                        assignment.id, task.name),
            .remedy = fmt::format("`cugrade list {}` shows the cases", assignment.id)};
    return chosen;
}

/// The paths of the build's temporary folder become the student's names.
void rename_files(emulator::KernelCounts& kernel) {
    std::map<emulator::Line, emulator::Counts> lines;
    for (auto& [line, counts] : kernel.lines)
        lines[{as_submitted(line.file), line.number}] += counts;
    kernel.lines = std::move(lines);
    std::map<emulator::Line, emulator::LineTiming> timing;
    for (const auto& [line, counts] : kernel.line_timing)
        timing[{as_submitted(line.file), line.number}] += counts;
    kernel.line_timing = std::move(timing);
}

}  // namespace

Result<std::optional<TaskProfile>> profile_case(const SessionOptions& session_options,
                                                const AssignmentSpec& assignment, MadeCase& made,
                                                Session::Counting counting) {
    const CaseData& data = made.data();
    const TaskSpec& task = *data.task;
    // Watching takes time that the limits of grading do not allow for.
    SessionOptions patient = session_options;
    patient.limits.wall_s *= 10;
    auto session = open_emulator_session(patient);
    if (!session) return session.error();
    auto defined = (*session)->has_function(task);
    if (!defined) return defined.error();
    if (!*defined) return std::optional<TaskProfile>();
    const auto poison = made.poison();
    if (!poison) return poison.error();
    auto prepared = prepare(**session, task, data, patient.limits, **poison);
    if (!prepared) return prepared.error();
    if (auto status = (*session)->count(counting); !status) return status.error();
    auto call = (*session)->call(prepared->request);
    if (!call) return call.error();
    TaskProfile out{.task = task.name,
                    .case_id = data.spec->id,
                    .description = describe(task, *data.spec),
                    .elements = largest_argument(task, *data.spec),
                    .outputs = 0,
                    .output_element_bytes = 0,
                    .call = std::move(*call),
                    .counts = {},
                    .judgement = {}};
    for (const ArgumentSpec& argument : task.arguments)
        if (argument.role == Role::output || argument.role == Role::inout) {
            out.outputs += data[argument.name].size();
            if (out.output_element_bytes == 0) out.output_element_bytes = size_of(argument.dtype);
        }
    // An emulator without memory has ended itself.
    if (out.call.verdict == Verdict::memory_limit) return std::optional(std::move(out));
    auto counts = (*session)->counts();
    if (!counts) return counts.error();
    out.counts = std::move(*counts);
    for (emulator::KernelCounts& kernel : out.counts.kernels) rename_files(kernel);
    // Counts are worth points only for right outputs; those on public data belong to cases judged
    // before.
    const bool judged_here = counting == Session::Counting::for_timing || data.spec->for_model;
    if (judged_here && out.call.verdict == Verdict::accepted) {
        const auto answered = made.answered();
        if (!answered) return answered.error();
        Outputs outputs;
        auto judged = judge(**session, task, assignment, data, (*answered)->expected, **poison,
                            *prepared, outputs);
        if (!judged) return judged.error();
        out.judgement = std::move(*judged);
    }
    return std::optional(std::move(out));
}

Result<std::optional<TaskProfile>> profile_task(const SessionOptions& session,
                                                const AssignmentSpec& assignment,
                                                const TaskSpec& task, const GradeOptions& options,
                                                std::optional<int> case_id) {
    auto chosen = choose_case(assignment, task, options, case_id);
    if (!chosen) return chosen.error();
    MadeCase made(assignment, std::move(chosen->data));
    return profile_case(session, assignment, made, Session::Counting::plain);
}

}  // namespace cugrade

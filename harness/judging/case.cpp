// The data of a case, the same for grading, for `cugrade data` and for the tests of the tolerances.
#include "judging/case.hpp"

#include <charconv>
#include <optional>

#include <fmt/format.h>

#include "datasets/generators.hpp"
#include "datasets/seeds.hpp"

namespace cugrade {
namespace {

// The secret of hidden cases where the course's is not given, as on a student's machine. It is
// public, so that runs can be repeated; a course has its own.
constexpr std::string_view development_secret = "cugrade-development-secret";

std::string_view secret_of(const GradeOptions& options) {
    return options.secret.empty() ? development_secret : std::string_view(options.secret);
}

/// A dimension is an integer or the name of a parameter of the case.
std::optional<std::int64_t> dimension(const CaseSpec& spec, const std::string& text) {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error == std::errc{} && end == text.data() + text.size()) return value;
    const auto it = spec.params.find(text);
    if (it == spec.params.end()) return std::nullopt;
    return static_cast<std::int64_t>(it->second);
}

}  // namespace

std::uint64_t secret_number(const AssignmentSpec& assignment, const TaskSpec& task,
                            const GradeOptions& options, std::uint64_t below) {
    return datasets::hidden_seed(secret_of(options), options.student, assignment.id, task.name, 0) %
           below;
}

Result<CaseData> make_case(const AssignmentSpec& assignment, const TaskSpec& task,
                           const CaseSpec& spec, const GradeOptions& options) {
    CaseData out;
    out.task = &task;
    out.spec = &spec;
    // The cases of the model are the same for all students, so that the baseline is counted once.
    out.seed = spec.visibility == Visibility::open && !spec.for_model
                   ? datasets::public_seed(assignment.id, task.name, spec.id)
                   : datasets::hidden_seed(secret_of(options),
                                           spec.for_model ? std::string_view() : options.student,
                                           assignment.id, task.name, spec.id);
    const auto located = [&](Error error, const std::string& key) {
        if (error.file.empty()) error.file = (assignment.folder / "assignment.yaml").string();
        error.key = fmt::format("tasks.{}.cases.{}.{}{}{}", task.name, spec.id, key,
                                error.key.empty() ? "" : ".", error.key);
        return error;
    };
    for (std::size_t i = 0; i < task.arguments.size(); ++i) {
        const ArgumentSpec& argument = task.arguments[i];
        if (argument.role == Role::scalar) continue;
        std::vector<std::int64_t> shape;
        for (const std::string& text : argument.shape) {
            const auto dim = dimension(spec, text);
            if (!dim)
                return located({.kind = ErrorKind::configuration,
                                .message = fmt::format("the case does not say what `{}` is", text),
                                .remedy = "give the case every size that a shape names"},
                               argument.name);
            shape.push_back(*dim);
        }
        const auto data = spec.data.find(argument.name);
        if (argument.role != Role::output && data == spec.data.end())
            return located({.kind = ErrorKind::configuration,
                            .message = fmt::format("the case has no data for `{}`", argument.name),
                            .remedy = "write NAME: {generator: ...} or NAME: {file: ...}"},
                           argument.name);
        // An output is made like data too: generate() checks its shape.
        static const DataSpec zeros{.generator = "constant", .numbers = {{"value", 0}}, .file = {}};
        const DataSpec& source = argument.role == Role::output ? zeros : data->second;
        auto array = [&]() -> Result<Array> {
            try {
                return datasets::generate(source, argument.dtype, std::move(shape),
                                          datasets::argument_seed(out.seed, i), assignment.folder);
            } catch (const std::bad_alloc&) {
                return Error{.kind = ErrorKind::configuration,
                             .message = fmt::format("there is no memory for `{}`", argument.name),
                             .remedy = "choose a smaller size, or a machine with more memory"};
            } catch (const std::exception& error) {
                return Error{.kind = ErrorKind::configuration,
                             .message = fmt::format("the generator `{}` throws: {}",
                                                    source.generator, error.what()),
                             .remedy = "mend it in datasets/, or give the case other data"};
            }
        }();
        if (!array) return located(array.error(), argument.name);
        out.buffers.emplace(argument.name, std::move(*array));
    }
    return out;
}

Result<AnsweredCase> answered_case(const AssignmentSpec& assignment, const TaskSpec& task,
                                   const CaseSpec& spec, const GradeOptions& options) {
    auto data = make_case(assignment, task, spec, options);
    if (!data) return data.error();
    auto expected = expected_answer(assignment, *data);
    if (!expected) return expected.error();
    auto verified = is_verified(assignment, task);
    if (!verified) return verified.error();
    return AnsweredCase{
        .data = std::move(*data), .expected = std::move(*expected), .verified = *verified};
}

}  // namespace cugrade

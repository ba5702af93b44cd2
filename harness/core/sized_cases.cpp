#include "core/sized_cases.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace cugrade {

Result<SizedCases> SizedCases::of(const AssignmentSpec& assignment, const TaskSpec& task) {
    const auto failed = [&](std::string message, std::string remedy) {
        return Error{.kind = ErrorKind::configuration,
                     .message = std::move(message),
                     .file = (assignment.folder / "assignment.yaml").string(),
                     .key = fmt::format("tasks.{}", task.name),
                     .remedy = std::move(remedy)};
    };
    SizedCases out;
    const CaseSpec* timed = task.timed_case();
    if (timed == nullptr)
        return failed("the task has no timed case to make larger and smaller",
                      "mark a case `timed: true`");
    out.timed_ = timed;
    for (const auto& [name, data] : timed->data)
        if (data.generator == "file")
            return failed(fmt::format("`{}` of the timed case is a file, which has one size", name),
                          "let a generator make it");
    for (const ArgumentSpec& argument : task.arguments)
        if (argument.role != Role::scalar &&
            (out.argument_ == nullptr ||
             elements_of(argument, *timed) > elements_of(*out.argument_, *timed)))
            out.argument_ = &argument;
    if (out.argument_ == nullptr) return failed("the task has no array", "add one");

    const CaseSpec* small = task.model.size() == 2 ? &task.model[0] : nullptr;
    const CaseSpec* larger = small != nullptr ? &task.model[1] : nullptr;
    for (const auto& [name, value] : timed->params) {
        const bool named =
            std::ranges::find(out.argument_->shape, name) != out.argument_->shape.end();
        if (small != nullptr ? small->params.at(name) != larger->params.at(name) : named)
            out.sizes_.push_back(name);
    }
    if (std::ranges::none_of(out.argument_->shape, [&](const std::string& dimension) {
            return std::ranges::find(out.sizes_, dimension) != out.sizes_.end();
        }))
        return failed(fmt::format("no parameter is the size of `{}`, the largest argument",
                                  out.argument_->name),
                      "give the two cases under `model` different sizes, or name one in its shape");
    if (small == nullptr) return out;
    for (const auto& [name, data] : timed->data)
        for (const auto& [key, value] : data.numbers) {
            const auto in = [&, &argument = name, &number = key](const CaseSpec& spec) {
                const auto& numbers = spec.data.at(argument).numbers;
                const auto found = numbers.find(number);
                return found == numbers.end() ? std::nan("") : found->second;
            };
            const double at_small = in(*small), at_larger = in(*larger);
            if (at_small == at_larger) continue;
            const auto size =
                std::ranges::find_if(out.sizes_, [&, &fixed = value](const std::string& s) {
                    const double offset = fixed - timed->params.at(s);
                    return at_small - small->params.at(s) == offset &&
                           at_larger - larger->params.at(s) == offset;
                });
            if (size == out.sizes_.end())
                return failed(
                    fmt::format("`{}` of `{}` changes with the size of the cases under `model`, "
                                "and it is not clear how",
                                key, name),
                    "make it a size plus or minus a constant in them and in the timed case");
            out.follows_.push_back({.argument = name,
                                    .key = key,
                                    .size = *size,
                                    .offset = value - timed->params.at(*size)});
        }
    return out;
}

CaseSpec SizedCases::with(std::uint64_t n) const {
    CaseSpec out = *timed_;
    const auto dimensions = std::ranges::count_if(argument_->shape, [&](const std::string& d) {
        return std::ranges::find(sizes_, d) != sizes_.end();
    });
    const double factor = std::pow(static_cast<double>(n) / elements_of(*argument_, *timed_),
                                   1 / static_cast<double>(dimensions));
    for (const std::string& size : sizes_)
        out.params[size] = std::max(1.0, std::round(timed_->params.at(size) * factor));
    for (const Follows& f : follows_)
        out.data[f.argument].numbers[f.key] = out.params[f.size] + f.offset;
    return out;
}

std::uint64_t SizedCases::elements(const CaseSpec& spec) const {
    return static_cast<std::uint64_t>(elements_of(*argument_, spec));
}

std::string SizedCases::parameters(const CaseSpec& spec) const {
    std::string out;
    for (const std::string& size : sizes_)
        out += fmt::format("{}{}={}", out.empty() ? "" : " ", size, spec.params.at(size));
    return out;
}

}  // namespace cugrade

#include "core/spec.hpp"

#include <algorithm>

namespace cugrade {

const CaseSpec* TaskSpec::timed_case() const {
    const auto timed = std::ranges::find_if(cases, &CaseSpec::timed);
    return timed == cases.end() ? nullptr : &*timed;
}

double elements_of(const ArgumentSpec& argument, const CaseSpec& spec) {
    double elements = 1;
    for (const std::string& dimension : argument.shape) {
        const auto param = spec.params.find(dimension);
        elements *= param != spec.params.end() ? param->second : std::stod(dimension);
    }
    return elements;
}

std::uint64_t largest_argument(const TaskSpec& task, const CaseSpec& spec) {
    double most = 0;
    for (const ArgumentSpec& argument : task.arguments)
        if (argument.role != Role::scalar) most = std::max(most, elements_of(argument, spec));
    return static_cast<std::uint64_t>(most);
}

}  // namespace cugrade

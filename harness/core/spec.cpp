#include "core/spec.hpp"

#include <algorithm>

namespace cugrade {

std::uint64_t largest_argument(const TaskSpec& task, const CaseSpec& spec) {
    double most = 0;
    for (const ArgumentSpec& argument : task.arguments) {
        if (argument.role == Role::scalar) continue;
        double elements = 1;
        for (const std::string& dimension : argument.shape) {
            const auto param = spec.params.find(dimension);
            elements *= param != spec.params.end() ? param->second : std::stod(dimension);
        }
        most = std::max(most, elements);
    }
    return static_cast<std::uint64_t>(most);
}

}  // namespace cugrade

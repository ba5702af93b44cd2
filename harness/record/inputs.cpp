#include "record/inputs.hpp"

#include <algorithm>

namespace cugrade::record {
namespace {

/// Where the value of a line is: {begin, size}; npos if there is none.
std::pair<std::size_t, std::size_t> place_of(std::string_view inputs, std::string_view name) {
    for (std::size_t at = 0; at < inputs.size();) {
        const std::size_t end = std::min(inputs.find('\n', at), inputs.size());
        const std::string_view line = inputs.substr(at, end - at);
        if (line.starts_with(name) && line.size() > name.size() && line[name.size()] == ' ')
            return {at + name.size() + 1, line.size() - name.size() - 1};
        at = end + 1;
    }
    return {std::string_view::npos, 0};
}

}  // namespace

std::string_view value_in(std::string_view inputs, std::string_view name) {
    const auto [at, size] = place_of(inputs, name);
    return at == std::string_view::npos ? std::string_view() : inputs.substr(at, size);
}

std::string with_value(std::string_view inputs, std::string_view name, std::string_view value) {
    std::string out(inputs);
    const auto [at, size] = place_of(inputs, name);
    return at == std::string_view::npos ? out : out.replace(at, size, value);
}

std::string rules_in(std::string_view inputs) {
    std::string out;
    for (std::size_t at = 0; at < inputs.size();) {
        const std::size_t end = std::min(inputs.find('\n', at), inputs.size());
        const std::string_view line = inputs.substr(at, end - at);
        for (const std::string_view name : {"policy ", "rules ", "assignment ", "task "})
            if (line.starts_with(name)) out.append(line) += '\n';
        at = end + 1;
    }
    return out;
}

}  // namespace cugrade::record
